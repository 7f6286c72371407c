import type { ExtensionPoint, ExtensionPoints, Unregister } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import { previewText } from "../text/bound_text.ts";

/** A provider for an extension point, as it was registered. */
export interface Extension<P extends ExtensionPoint = ExtensionPoint> {
  readonly point: P;
  /** The plugin's id. */
  readonly plugin: string;
  readonly provider: ExtensionPoints[P];
  readonly priority: number;
}

/** Several providers that stand equally high, of which one was chosen. */
export interface ExtensionConflict {
  readonly point: ExtensionPoint;
  /** `plugin/provider` */
  readonly winner: string;
  /** `plugin/provider` */
  readonly losers: readonly string[];
}

/** Every extension point, in the order in which they are shown. */
export const EXTENSION_POINTS: readonly ExtensionPoint[] = [
  "mascot",
  "startup-screen",
  "websearch",
];

const MAX_ID_CHARS = 100;

/** What plugins offer for extension points. */
export class ExtensionRegistry {
  readonly #extensions = new Set<Extension>();

  /**
   * Adds a provider.
   *
   * @param point The extension point.
   * @param plugin The plugin that offers it.
   * @param provider The provider.
   * @param priority How high it stands.
   * @throws {TypeError} If there is no such point, the provider has no id, or the priority is no
   * finite number.
   */
  register<P extends ExtensionPoint>(
    point: P,
    plugin: string,
    provider: ExtensionPoints[P],
    priority: number,
  ): Unregister {
    const flaw = flawOf(point, provider, priority);
    if (flaw !== null) {
      throw new TypeError(
        `Cannot register an extension for "${previewText(String(point), 80)}": ${flaw}`,
      );
    }
    const extension: Extension<P> = { point, plugin, provider, priority };
    this.#extensions.add(extension);
    return () => void this.#extensions.delete(extension);
  }

  /**
   * The providers for a point, the chosen one first.
   *
   * @param point The extension point.
   */
  ranked<P extends ExtensionPoint>(point: P): readonly Extension<P>[] {
    const all = [...this.#extensions].filter((each): each is Extension<P> => each.point === point);
    // Sorting keeps those that are equal in the order of their registration.
    return all.sort((a, b) => b.priority - a.priority || compareIds(a.plugin, b.plugin));
  }

  /**
   * What one plugin offers, in the order of its registration.
   *
   * @param plugin The plugin's id.
   */
  of(plugin: string): readonly Extension[] {
    return [...this.#extensions].filter((each) => each.plugin === plugin);
  }

  /** Where several providers stand equally high, point by point. */
  conflicts(): readonly ExtensionConflict[] {
    return EXTENSION_POINTS.flatMap((point) => {
      const [winner, ...others] = this.ranked(point);
      const losers = others.filter(({ priority }) => priority === winner?.priority);
      if (winner === undefined || losers.length === 0) return [];
      return [{ point, winner: extensionName(winner), losers: losers.map(extensionName) }];
    });
  }
}

/**
 * What a provider is called, `plugin/provider`.
 *
 * @param extension The provider.
 */
export function extensionName({ plugin, provider }: Extension): string {
  return `${plugin}/${provider.id}`;
}

function flawOf(point: unknown, provider: unknown, priority: unknown): string | null {
  if (!EXTENSION_POINTS.some((each) => each === point)) {
    return `there is no such point; there are ${EXTENSION_POINTS.join(", ")}`;
  }
  if (!isObject(provider)) return "the provider is no object";
  const { id } = provider;
  if (typeof id !== "string" || id.trim() === "" || id.length > MAX_ID_CHARS) {
    return `the provider has no id of 1 to ${MAX_ID_CHARS} characters`;
  }
  return Number.isFinite(priority) ? null : "the priority is no finite number";
}

/** The same everywhere, whatever the person's language. */
function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
