import { isObject } from "../../../core/config/is_object.ts";

/** How values of a part of a schema are brought back to what the server declared. */
export interface RestorePlan {
  /** Names at the server, by the names that a model uses. */
  readonly names: Map<string, string>;
  /** Plans of properties, by the names that a model uses and by those at the server. */
  readonly properties: Map<string, RestorePlan>;
  /** Plans of items, or of alternatives for the same value. */
  readonly items: RestorePlan[];
  readonly alternatives: RestorePlan[];
}

/** A plan that changes nothing yet. */
export function emptyPlan(): RestorePlan {
  return { names: new Map(), properties: new Map(), items: [], alternatives: [] };
}

/**
 * Gives properties the names that a server declared.
 *
 * @param input What a model gave.
 * @param plan How.
 */
export function restoreInput(
  input: Record<string, unknown>,
  plan: RestorePlan,
): Record<string, unknown> {
  const restored = restoreValue(input, plan);
  return isObject(restored) ? { ...restored } : input;
}

/** The data is finite, and no plan is used for one value twice, so this ends. */
function restoreValue(
  value: unknown,
  plan: RestorePlan,
  used: ReadonlySet<RestorePlan> = new Set(),
): unknown {
  if (used.has(plan)) return value;
  const now = new Set([...used, plan]);
  const inner = plan.alternatives.reduce<unknown>(
    (each, alternative) => restoreValue(each, alternative, now),
    value,
  );
  if (Array.isArray(inner)) return inner.map((each) => restoreItem(each, plan));
  if (!isObject(inner)) return inner;
  return Object.fromEntries(
    Object.entries(inner).map(([name, each]) => {
      const below = plan.properties.get(name);
      return [
        plan.names.get(name) ?? name,
        below === undefined ? each : restoreValue(each, below),
      ];
    }),
  );
}

function restoreItem(item: unknown, { items }: RestorePlan): unknown {
  return items.reduce<unknown>((each, plan) => restoreValue(each, plan), item);
}
