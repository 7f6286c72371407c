/** Tells when text that arrives in pieces holds one whole JSON object, in time linear in it. */
export class JsonObjectScanner {
  #depth = 0;
  #state: "before" | "inside" | "string" | "escape" | "whole" | "other" = "before";

  /** Whether an object began and ended. Its inside is not checked. */
  get isWhole(): boolean {
    return this.#state === "whole";
  }

  /**
   * Takes the next piece.
   *
   * @param text Any part of the text.
   */
  push(text: string): void {
    for (let index = 0; index < text.length; index++) this.#take(text[index] ?? "");
  }

  #take(char: string): void {
    switch (this.#state) {
      case "before":
        if (char === "{") this.#open();
        else if (char.trim() !== "") this.#state = "other";
        return;
      case "inside":
        if (char === '"') this.#state = "string";
        else if (char === "{" || char === "[") this.#open();
        else if ((char === "}" || char === "]") && --this.#depth === 0) this.#state = "whole";
        return;
      case "string":
        if (char === "\\") this.#state = "escape";
        else if (char === '"') this.#state = "inside";
        return;
      case "escape":
        this.#state = "string";
        return;
      case "whole":
      case "other":
        return;
    }
  }

  #open(): void {
    this.#depth++;
    this.#state = "inside";
  }
}
