import { DENO, ROOT } from "./paths.ts";

/** A property of a type. */
export interface DocumentedProperty {
  /** Its name, followed by `?` if it is optional. */
  readonly name: string;
  /** The properties of its own type, if that is of the same module. */
  readonly properties: readonly DocumentedProperty[];
}

/**
 * Lists the texts of a union type, as `deno doc` sees it.
 *
 * @param module Relative to the repository root.
 * @param name Name of the type.
 */
export async function documentedUnion(module: string, name: string): Promise<readonly string[]> {
  const union = (await definitionsOf(module))(name)?.tsType?.value;
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
  const find = await definitionsOf(module);
  return find(name)?.properties?.map((property) => toProperty(property, find)) ?? [];
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

type FindDefinition = (name: string) => DocDefinition | undefined;

async function definitionsOf(module: string): Promise<FindDefinition> {
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
  return (name) => symbols.find((symbol) => symbol.name === name)?.declarations[0]?.def;
}

function toProperty(
  { name, optional, tsType }: DocProperty,
  find: FindDefinition,
): DocumentedProperty {
  const type = tsType?.kind === "typeRef" ? find(referenceOf(tsType.value))?.tsType : tsType;
  const literal = type?.kind === "typeLiteral" ? type.value as DocDefinition : undefined;
  return {
    name: optional === true ? `${name}?` : name,
    properties: literal?.properties?.map((property) => toProperty(property, find)) ?? [],
  };
}

function referenceOf(value: unknown): string {
  return typeof value === "object" && value !== null && "typeName" in value
    ? String(value.typeName)
    : "";
}

function isLiteral(value: unknown): value is { readonly kind: string; readonly string: string } {
  return typeof value === "object" && value !== null && "kind" in value && "string" in value;
}
