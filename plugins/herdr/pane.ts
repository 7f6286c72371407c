/** The pane of Herdr that Alisio runs in. */
export interface HerdrPane {
  /** Id of the pane. */
  readonly id: string;
  /** Absolute path of Herdr's program. */
  readonly program: string;
  /** What the program is started with: where it finds its server, and what any program needs. */
  readonly env: Readonly<Record<string, string>>;
}
