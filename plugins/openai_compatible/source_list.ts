import { toRecord } from "./wire_values.ts";

const MAX_SOURCES = 20;
const MAX_TITLE_CHARS = 200;
const MAX_URL_CHARS = 2_000;

/** The pages that an answer cites, in the order of their first citation. */
export class SourceList {
  readonly #titles = new Map<string, string>();

  /**
   * Takes one annotation; one that cites no page of the web is left out.
   *
   * @param annotation As the server sent it.
   */
  add(annotation: unknown): void {
    const { type, url, title } = toRecord(annotation) ?? {};
    if (type !== "url_citation" || typeof url !== "string" || url.length > MAX_URL_CHARS) return;
    if (!/^https?:\/\/[^\s<>\p{C}]+$/iu.test(url) || !URL.canParse(url)) return;
    if (this.#titles.size >= MAX_SOURCES || this.#titles.has(url)) return;
    this.#titles.set(url, typeof title === "string" ? title.slice(0, MAX_TITLE_CHARS) : "");
  }

  /**
   * Takes the annotations of a part.
   *
   * @param annotations As the server sent them.
   */
  addAll(annotations: unknown): void {
    if (Array.isArray(annotations)) annotations.forEach((each) => this.add(each));
  }

  /**
   * The sources that an answer does not name itself, as Markdown; empty where there is none.
   *
   * @param text The answer.
   */
  format(text: string): string {
    if (text.trim() === "") return "";
    const lines = [...this.#titles].flatMap(([url, title]) =>
      text.includes(url) ? [] : [`- ${nameOf(title, url)}<${url}>`]
    );
    return lines.length === 0 ? "" : `Sources:\n${lines.join("\n")}`;
  }
}

/** Without what would make more of a title than words. */
function nameOf(title: string, url: string): string {
  const words = title.replace(/[[\]<>`*_\\]/g, " ").replace(/\s+/g, " ").trim();
  return words === "" || words === url ? "" : `${words}: `;
}
