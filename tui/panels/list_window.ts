/** The part of a list that is on the screen. */
export interface ListWindow {
  /** The first row that is shown. */
  readonly from: number;
  /** Behind the last one. */
  readonly to: number;
  /** Rows above it. */
  readonly above: number;
  /** Rows below it. */
  readonly below: number;
}

/**
 * Which part of a list is shown, so that the selected row is in it. Where rows are left out, one
 * row at that end is given to a note about them, as long as there are three.
 *
 * @param total How many rows there are.
 * @param selected The row that must be shown.
 * @param height Rows on the screen.
 * @param previous Where the part began before; it moves no more than it must.
 */
export function listWindow(
  total: number,
  selected: number,
  height: number,
  previous: number,
): ListWindow {
  if (total <= height) return { from: 0, to: total, above: 0, below: 0 };
  if (height < 3) {
    const from = Math.max(0, Math.min(selected, total - Math.max(1, height)));
    return { from, to: Math.min(total, from + height), above: 0, below: 0 };
  }
  let start = Math.max(0, Math.min(previous, total - height));
  // The first and the last row on the screen are notes, unless nothing is beyond them.
  if (selected <= start && start > 0) start = Math.max(0, selected - 1);
  if (selected >= start + height - 1 && start + height < total) start = selected - height + 2;
  start = Math.max(0, Math.min(start, total - height));
  const above = start === 0 ? 0 : start + 1;
  const below = start + height >= total ? 0 : total - start - height + 1;
  return {
    from: start + (above > 0 ? 1 : 0),
    to: start + height - (below > 0 ? 1 : 0),
    above,
    below,
  };
}
