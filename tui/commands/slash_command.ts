import type { Stage } from "../stage.ts";

/** Where a command comes from. Of two with one name, the earlier kind wins. */
export type CommandSource = "builtin" | "plugin" | "prompt" | "skill" | "agent";

/** A line of the completion menu for what follows a command. */
export interface ArgumentChoice {
  /** What is inserted. */
  readonly value: string;
  /** What the person reads. */
  readonly label: string;
  /** More about it. */
  readonly description?: string;
}

/** A command that is typed in place of a prompt. */
export interface SlashCommand {
  /** Without its slash. */
  readonly name: string;
  /** Other names. */
  readonly aliases?: readonly string[];
  /** What follows it, such as `[focus]`. */
  readonly argumentHint?: string;
  /** One line of help. */
  readonly description: string;
  /** Where it comes from. */
  readonly source: CommandSource;
  /** The plugin or file that it comes from. */
  readonly owner?: string;
  /**
   * What becomes of it while a prompt runs: `live` runs at once, `wait` says that the run must end
   * first.
   */
  readonly duringRun: "live" | "wait";
  /**
   * What may follow it.
   *
   * @param typed What was typed of it.
   * @param stage The conversation.
   */
  complete?(
    typed: string,
    stage: Stage,
  ): readonly ArgumentChoice[] | Promise<readonly ArgumentChoice[]>;
  /**
   * Runs it. What it throws is shown to the person as an error.
   *
   * @param stage The conversation.
   * @param argument What follows it, without spaces around.
   */
  run(stage: Stage, argument: string): Promise<void> | void;
}

/** Every command that there is at the moment. */
export interface CommandTable {
  /** All of them, in the order of help; of one name, the one that counts. */
  list(): readonly SlashCommand[];
  /**
   * A command by its name or another name of it.
   *
   * @param name Without the slash.
   */
  find(name: string): SlashCommand | undefined;
}
