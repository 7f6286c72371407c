/**
 * Whose grammar a command line is read by: that of bash, or only what every POSIX shell reads the
 * same way.
 */
export type ShellDialect = "bash" | "sh";

/** What a command line says, or why that is not known. */
export type ParsedShell =
  | {
    /** The whole text was understood. */
    readonly ok: true;
    /** The text. */
    readonly source: string;
    /** Whose grammar it was read by. */
    readonly dialect: ShellDialect;
    /** Its commands. */
    readonly script: ShellScript;
  }
  | {
    /** Some of the text was not understood, so nothing may be concluded from it. */
    readonly ok: false;
    /** The text. */
    readonly source: string;
    /** Why, without a quote of the text. */
    readonly reason: string;
  };

/** Commands in the order of the text. */
export interface ShellScript {
  /** The commands, each with what joins it to the next. */
  readonly steps: readonly ShellStep[];
}

/** One command of a script. */
export interface ShellStep {
  /** The command. */
  readonly command: ShellCommand;
  /** Reserved words before it: `!` and, in bash, `time`. */
  readonly prefixes: readonly ("!" | "time")[];
  /** What follows it; null at the end. */
  readonly operator: ShellOperator | null;
}

/** What stands between two commands. */
export type ShellOperator = ";" | "newline" | "&" | "&&" | "||" | "|" | "|&";

/** A command: words, or a construct that holds other commands. */
export type ShellCommand = SimpleCommand | CompoundCommand;

/** Assignments, a program with its arguments, and redirections; each of them may be missing. */
export interface SimpleCommand {
  /** Tells it from a compound command. */
  readonly kind: "simple";
  /** Assignments before the program. */
  readonly assignments: readonly ShellAssignment[];
  /** The program and its arguments, before expansion. */
  readonly words: readonly ShellWord[];
  /** Redirections, wherever they stand. */
  readonly redirections: readonly Redirection[];
}

/** How a compound command begins. */
export type CompoundKeyword =
  | "("
  | "{"
  | "(("
  | "[["
  | "if"
  | "while"
  | "until"
  | "for"
  | "select"
  | "case"
  | "function"
  | "coproc";

/** A construct that holds other commands. */
export interface CompoundCommand {
  /** Tells it from a simple command. */
  readonly kind: "compound";
  /** How it begins; `function` for both forms of a definition. */
  readonly keyword: CompoundKeyword;
  /** The variable or function that it names, or null. */
  readonly name: string | null;
  /** Words of its head: values, subject, patterns, operands. */
  readonly words: readonly ShellWord[];
  /** Every script in it, conditions included. */
  readonly scripts: readonly ShellScript[];
  /** Redirections of the whole. */
  readonly redirections: readonly Redirection[];
}

/** `name=value`. */
export interface ShellAssignment {
  /** The variable. */
  readonly name: string;
  /** The value, or the elements of an array. */
  readonly words: readonly ShellWord[];
}

/** How a redirection is written, without its descriptor. */
export type RedirectionOperator =
  | "<"
  | ">"
  | ">>"
  | ">|"
  | "<>"
  | "<&"
  | ">&"
  | "&>"
  | "&>>"
  | "<<"
  | "<<-"
  | "<<<";

/** A redirection. */
export interface Redirection {
  /** How it is written. */
  readonly operator: RedirectionOperator;
  /** The descriptor in front of it, as written, or null. */
  readonly descriptor: string | null;
  /** The file, descriptor, text or delimiter after it. */
  readonly target: ShellWord;
  /** Expansions in the body of a here-document; empty when its delimiter is quoted. */
  readonly body: readonly WordPart[];
}

/** A word before expansion. */
export interface ShellWord {
  /** As written. */
  readonly source: string;
  /** Its pieces, in order. */
  readonly parts: readonly WordPart[];
}

/** How a piece of literal text is protected from expansion. */
export type Quoting = "none" | "escape" | "single" | "double" | "ansi";

/** A piece of a word. */
export type WordPart =
  | {
    /** Text that stands for itself. */
    readonly kind: "text";
    /** The text, quotes and escapes removed. */
    readonly text: string;
    /** How it is quoted. */
    readonly quoting: Quoting;
  }
  | {
    /** A character that matches file names: `*`, `?` or `[`. */
    readonly kind: "pattern";
    /** The character. */
    readonly text: string;
  }
  | {
    /** The value of a variable. */
    readonly kind: "parameter";
    /** As written. */
    readonly text: string;
    /** Commands inside it. */
    readonly scripts: readonly ShellScript[];
  }
  | {
    /** The value of an expression. */
    readonly kind: "arithmetic";
    /** The expression. */
    readonly text: string;
    /** Commands inside it. */
    readonly scripts: readonly ShellScript[];
  }
  | {
    /** What a command prints. */
    readonly kind: "command";
    /** The command. */
    readonly script: ShellScript;
  }
  | {
    /** The name of a pipe to or from a command. */
    readonly kind: "process";
    /** The command. */
    readonly script: ShellScript;
  }
  | {
    /** The elements of an array. */
    readonly kind: "array";
    /** The elements. */
    readonly words: readonly ShellWord[];
  };
