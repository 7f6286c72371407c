/** Measures how long the event loop stood still. */
export interface EventLoopWatch {
  /** Ends it, and returns the longest standstill in milliseconds. */
  stop(): number;
}

const TICK_MS = 50;

/**
 * Watches whether the event loop turns: code that computes without a pause keeps everything else,
 * signals included, from being served.
 */
export function watchEventLoop(): EventLoopWatch {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - TICK_MS);
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return Math.max(0, Math.round(longest));
    },
  };
}
