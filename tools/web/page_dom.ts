import domino from "@mixmark-io/domino";

/** What of a node is used here. */
export interface PageNode {
  /** 1 for an element, 3 for text, 8 for a comment. */
  readonly nodeType: number;
  /** In upper case for elements of HTML. */
  readonly nodeName: string;
  /** Text of a text node. */
  nodeValue: string | null;
  /** All text below it. */
  textContent: string;
  readonly parentNode: PageNode | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  removeChild(child: PageNode): void;
}

/** What of an element is used here. */
export interface PageElement extends PageNode {
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  hasAttribute(name: string): boolean;
}

/** What of a document is used here. */
export interface PageDocument extends PageNode {
  readonly title: string;
  readonly body: PageElement | null;
  readonly documentElement: PageElement;
  createTextNode(text: string): PageNode;
}

/** A page that cannot be converted in bounded time and stack. */
export class TooComplexError extends Error {
  /** The name of the class. */
  override readonly name = "TooComplexError";
}

const MAX_PARSE_MS = 3_000;
/** Recursion of the converter is as deep as the page. Browsers stop at 512. */
const MAX_DEPTH = 256;
const MAX_NODES = 100_000;

interface IncrementalParser {
  end(html: string): void;
  process(shouldPause: () => boolean): boolean;
  document(): unknown;
}

/**
 * Parses a page, for a limited time and up to a limited size of the tree.
 *
 * @param html The page.
 * @throws {TooComplexError} If a limit is passed.
 */
export function parsePage(html: string): PageDocument {
  const parser = domino.createIncrementalHTMLParser() as unknown as IncrementalParser;
  const deadline = performance.now() + MAX_PARSE_MS;
  parser.end(html);
  if (parser.process(() => performance.now() > deadline)) {
    throw new TooComplexError("it takes too long to parse");
  }
  const page = parser.document() as PageDocument;
  let nodes = 0;
  for (const { depth, phase } of walk(page)) {
    if (phase === "leave") continue;
    if (depth > MAX_DEPTH) throw new TooComplexError("it is nested too deeply");
    if (++nodes > MAX_NODES) throw new TooComplexError("it has too many elements");
  }
  return page;
}

/** A place in a walk. */
export interface Visit {
  readonly node: PageNode;
  /** Nodes above it, up to where the walk began. */
  readonly depth: number;
  /** Elements are met twice: before their content and after it. */
  readonly phase: "enter" | "leave";
}

/**
 * Visits everything below a node, without recursion.
 *
 * @param root Where to begin; not visited itself.
 */
export function* walk(root: PageNode): Generator<Visit> {
  let node: PageNode | null = root.firstChild;
  let depth = 1;
  while (node !== null) {
    yield { node, depth, phase: "enter" };
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth++;
      continue;
    }
    yield { node, depth, phase: "leave" };
    while (node.nextSibling === null) {
      node = node.parentNode;
      depth--;
      if (node === null || node === root) return;
      yield { node, depth, phase: "leave" };
    }
    node = node.nextSibling;
  }
}

/**
 * All elements below a node, in order.
 *
 * @param root Where to look.
 */
export function elementsBelow(root: PageNode): readonly PageElement[] {
  const found: PageElement[] = [];
  for (const { node, phase } of walk(root)) {
    if (phase === "enter" && isElement(node)) found.push(node);
  }
  return found;
}

/** Whether a node is an element. */
export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === 1;
}

/**
 * The elements directly in a node, in order.
 *
 * @param node The node.
 */
export function childrenOf(node: PageNode): readonly PageElement[] {
  const children: PageElement[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child)) children.push(child);
  }
  return children;
}
