import { DENO, ROOT } from "./paths.ts";

/** A property of a type. */
export interface DocumentedProperty {
  /** Its name, followed by `?` if it is optional. */
  readonly name: string;
  /** The properties of its own type, if that is written out where it stands. */
  readonly properties: readonly DocumentedProperty[];
}

/**
 * Lists the texts of a union type, as `deno doc` sees it.
 *
 * @param module Relative to the repository root.
 * @param name Name of the type.
 */
export async function documentedUnion(module: string, name: string): Promise<readonly string[]> {
  const union = (await findDefinition(module, name)).tsType?.value;
  if (!Array.isArray(union)) throw new TypeError(`"${name}" of ${module} is no union`);
  return union.flatMap(({ kind, value }: DocType) =>
    kind === "literal" && isLiteral(value) && value.kind === "string" ? [value.string] : []
  );
}

/**
 * Lists the properties of an interface, as `deno doc` sees it.
 *
 * @param module Relative to the repository root.
 * @param name Name of the interface.
 */
export async function documentedProperties(
  module: string,
  name: string,
): Promise<readonly DocumentedProperty[]> {
  return (await findDefinition(module, name)).properties?.map(toProperty) ?? [];
}

interface DocType {
  readonly kind: string;
  readonly value: unknown;
}

interface DocProperty {
  readonly name: string;
  readonly optional?: boolean;
  readonly tsType?: DocType;
}

interface DocDefinition {
  readonly tsType?: DocType;
  readonly properties?: readonly DocProperty[];
}

interface DocSymbol {
  readonly name: string;
  readonly declarations: readonly { readonly def: DocDefinition }[];
}

async function findDefinition(module: string, name: string): Promise<DocDefinition> {
  const { success, stdout, stderr } = await new Deno.Command(DENO, {
    args: ["doc", "--json", `${ROOT}/${module}`],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly nodes: Readonly<Record<string, { readonly symbols: readonly DocSymbol[] }>>;
  };
  const symbols = Object.values(nodes).flatMap((node) => node.symbols);
  const found = symbols.find((symbol) => symbol.name === name)?.declarations[0]?.def;
  if (found === undefined) throw new Error(`Cannot find "${name}" in ${module}`);
  return found;
}

function toProperty({ name, optional, tsType }: DocProperty): DocumentedProperty {
  const literal = tsType?.kind === "typeLiteral" ? tsType.value as DocDefinition : undefined;
  return {
    name: optional === true ? `${name}?` : name,
    properties: literal?.properties?.map(toProperty) ?? [],
  };
}

function isLiteral(value: unknown): value is { readonly kind: string; readonly string: string } {
  return typeof value === "object" && value !== null && "kind" in value && "string" in value;
}
