import type { ProviderRegistration, Unregister } from "@alisio/sdk";

/** The kinds of providers that plugins have registered, by id. */
export class ProviderRegistry {
  readonly #registrations = new Map<string, ProviderRegistration>();

  /**
   * Adds a kind of provider.
   *
   * @param registration The registration.
   * @returns Removes it again; safe to call twice.
   * @throws {TypeError} If the id is malformed or taken.
   */
  register(registration: ProviderRegistration): Unregister {
    const { id } = registration;
    if (!/^[a-z0-9][a-z0-9.-]{0,63}$/.test(id)) {
      throw new TypeError(
        `Cannot register provider ${JSON.stringify(id.slice(0, 80))}: its id must hold lowercase ` +
          "letters, digits, dots and hyphens only",
      );
    }
    if (this.#registrations.has(id)) {
      throw new TypeError(`Cannot register provider "${id}": the id is taken`);
    }
    this.#registrations.set(id, registration);
    return () => {
      if (this.#registrations.get(id) === registration) this.#registrations.delete(id);
    };
  }

  /**
   * Finds a registration.
   *
   * @param id Its id.
   */
  get(id: string): ProviderRegistration | undefined {
    return this.#registrations.get(id);
  }

  /** Every registration, in the order in which they were added. */
  list(): readonly ProviderRegistration[] {
    return [...this.#registrations.values()];
  }
}
