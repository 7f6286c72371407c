/** A search that could not be done, in words for the model and the person; no key is in them. */
export class SearchFailure extends Error {
  /** Always `SearchFailure`. */
  override readonly name = "SearchFailure";
}
