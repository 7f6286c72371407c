/**
 * A value as JSON, no longer than a limit. Stops at the limit, however large or deep the value is.
 *
 * @param value Anything that came as JSON.
 * @param maxChars How many UTF-16 units may stay.
 */
export function shortJson(value: unknown, maxChars: number): string {
  const parts: string[] = [];
  let left = maxChars;
  const put = (text: string): void => {
    parts.push(text.slice(0, Math.max(0, left)));
    left -= text.length;
  };
  const write = (each: unknown): void => {
    if (left <= 0) return;
    if (typeof each !== "object" || each === null) {
      put(JSON.stringify(typeof each === "string" ? each.slice(0, left) : each) ?? "null");
    } else if (Array.isArray(each)) {
      put("[");
      for (let index = 0; index < each.length && left > 0; index++) {
        if (index > 0) put(",");
        write(each[index]);
      }
      put("]");
    } else {
      put("{");
      let isFirst = true;
      for (const name in each) {
        if (left <= 0) break;
        put(`${isFirst ? "" : ","}${JSON.stringify(name.slice(0, left))}:`);
        write(Reflect.get(each, name));
        isFirst = false;
      }
      put("}");
    }
  };
  write(value);
  const text = parts.join("").toWellFormed();
  return left < 0 ? `${text}…` : text;
}
