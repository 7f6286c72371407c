/** What a screen can show. A provider respects it, and reads no variables to find out more. */
export interface TerminalCapabilities {
  /** Whether ANSI colour sequences may be used. */
  readonly color: boolean;
  /** Whether characters beyond ASCII may be used. */
  readonly unicode: boolean;
  /** Cells of a line. */
  readonly columns: number;
  /** Whether a person is there. */
  readonly interactive: boolean;
}

/** What a mascot is drawn from. */
export interface MascotContext {
  /** What the screen can show. */
  readonly terminal: TerminalCapabilities;
  /** Version of Alisio. */
  readonly version: string;
}

/**
 * Draws a small picture that stands beside what the startup screen says.
 *
 * @example A mascot of one line
 * ```ts
 * import { definePlugin, type MascotProvider } from "@alisio/sdk";
 *
 * const boat: MascotProvider = {
 *   id: "boat",
 *   render: ({ terminal }) => terminal.unicode ? "⛵" : "_/)_",
 * };
 *
 * export default definePlugin({
 *   id: "acme.boat",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.extensions.register("mascot", boat, { priority: 10 });
 *   },
 * });
 * ```
 */
export interface MascotProvider {
  /** Names it among those of the plugin. */
  readonly id: string;
  /**
   * Draws it: up to 12 lines, at once and without a look at anything but the context.
   *
   * @param context What it is drawn from.
   */
  render(context: MascotContext): string | readonly string[];
}

/** What a screen is told of a plugin. */
export interface PluginMetadata {
  /** Its id. */
  readonly id: string;
  /** Its version. */
  readonly version: string;
  /** Whether it comes with Alisio. */
  readonly builtin: boolean;
}

/** Something else that is worth knowing, such as what may be done unasked. */
export interface StartupFact {
  /** One or two words. */
  readonly label: string;
  /** What there is to say. */
  readonly value: string;
}

/** What a startup screen is drawn from. Nothing in it is a secret. */
export interface StartupContext {
  /** Version of Alisio. */
  readonly version: string;
  /** The workspace, shortened. */
  readonly cwd: string;
  /** The model, where one is configured. */
  readonly model?: string;
  /** Host of the model's server. */
  readonly provider?: string;
  /** Name of the person's account. */
  readonly userName?: string;
  /** What the screen can show. */
  readonly terminal: TerminalCapabilities;
  /** The plugins that are loaded. */
  readonly plugins: readonly PluginMetadata[];
  /** The mascot that was chosen; safe to be drawn at any time. */
  readonly mascot: MascotProvider;
  /** Advice for the person, one sentence each. */
  readonly tips: readonly string[];
  /** What else is worth knowing. */
  readonly facts?: readonly StartupFact[];
}

/** Draws what a person sees when a conversation opens. */
export interface StartupScreenProvider {
  /** Names it among those of the plugin. */
  readonly id: string;
  /**
   * Draws it: up to 60 lines, at once and without a look at anything but the context.
   *
   * @param context What it is drawn from.
   */
  render(context: StartupContext): readonly string[];
}

/** Something that a search found. */
export interface SearchResult {
  /** Heading of the page. */
  readonly title: string;
  /** Its address. */
  readonly url: string;
  /** A few words of it. */
  readonly snippet: string;
}

/** Searches the web. */
export interface SearchProvider {
  /** Names it among those of the plugin. */
  readonly id: string;
  /**
   * Searches.
   *
   * @param query What the person or the model looks for.
   * @param options What ends the wait.
   * @throws {Error} If the search cannot be done.
   */
  search(
    query: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly SearchResult[]>;
}

/** The parts of Alisio that a plugin can take the place of, and what it gives for each. */
export interface ExtensionPoints {
  /** The picture of the startup screen. */
  readonly mascot: MascotProvider;
  /** What a person sees when a conversation opens. */
  readonly "startup-screen": StartupScreenProvider;
  /** Where the web is searched. */
  readonly websearch: SearchProvider;
}

/** Name of an extension point. */
export type ExtensionPoint = keyof ExtensionPoints;

/** How a provider stands among others of its extension point. */
export interface ExtensionOptions {
  /**
   * The highest is chosen. Of those that are equal it is the one whose plugin has the first id in
   * the alphabet, and of that plugin the one that was registered first.
   *
   * @default 0
   */
  readonly priority?: number;
}

/** Extension points, for a plugin. */
export interface PluginExtensions {
  /**
   * Offers a provider for an extension point. Alisio chooses one for each.
   *
   * @param point The extension point.
   * @param provider What takes its place.
   * @param options How it stands among others.
   * @returns Takes it back.
   * @throws {TypeError} If there is no such point, the provider has no id, or the priority is no
   * finite number.
   */
  register<P extends ExtensionPoint>(
    point: P,
    provider: ExtensionPoints[P],
    options?: ExtensionOptions,
  ): () => void;
}
