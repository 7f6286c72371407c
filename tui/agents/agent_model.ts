import type { ModelInfo } from "@alisio/sdk";
import { type ModelFit, modelFit } from "../../core/agents/model_fit.ts";
import type { ProfileModels } from "../../core/provider/connect_desk.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import { pickModel } from "../connect/pick_model.ts";
import { askLine, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";

/** What the person does about the model of an agent. */
type Way = "use" | "pick" | "write";

/** The model that an agent is written for, and what that can do. */
export class AgentModel {
  readonly #stage: Stage;
  /** What the servers said, once somebody wanted to know. */
  #catalogs: readonly ProfileModels[] = [];

  /** @param stage The conversation. */
  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /**
   * Lets the person choose it among the models of the connected providers. Where none is connected,
   * its name is written.
   *
   * @param current Its name; empty for the one in use.
   * @returns The name, `current` if the person left.
   */
  async choose(current: string): Promise<string> {
    const desk = await this.#stage.application.connectDesk();
    const { profiles } = await desk.profiles();
    if (Object.keys(profiles).length === 0) return await this.#write(current);
    const way = await pickFromList<Way>(this.#stage, {
      title: "Model of the agent",
      items: [
        { value: "use", label: "The one in use" },
        { value: "pick", label: "One of the connected providers" },
        { value: "write", label: "Another one", description: "Written as <profile>/<model>" },
      ],
      selected: ({ value }) => value === (current === "" ? "use" : "pick"),
      isFilterable: false,
    });
    if (way === "use") return "";
    if (way === "write") return await this.#write(current);
    return way === undefined ? current : await this.#pick(current);
  }

  /**
   * What a model can do of what an agent may ask of it.
   *
   * @param model Its name; empty for the one in use.
   */
  fit(model: string): ModelFit {
    if (model !== "") return modelFit(this.#find(model));
    const levels = this.#stage.session()?.effortLevels() ?? [];
    return modelFit(levels.length === 0 ? undefined : { effort: { supportedLevels: levels } });
  }

  /** A profile and a model with a slash between them, or a model that one profile alone has. */
  #find(name: string): ModelInfo | undefined {
    const named = this.#catalogs.flatMap(({ profile, models }) =>
      models.filter(({ id }) => `${profile}/${id}` === name)
    );
    const alike = this.#catalogs.flatMap(({ models }) => models.filter(({ id }) => id === name));
    return named[0] ?? (alike.length === 1 ? alike[0] : undefined);
  }

  async #pick(current: string): Promise<string> {
    const desk = await this.#stage.application.connectDesk();
    const catalogs = await whileWaiting(
      this.#stage,
      "Asking the servers for their models…",
      (signal) => desk.catalogs(signal),
    );
    if (catalogs === undefined) return current;
    this.#catalogs = catalogs;
    const slash = current.indexOf("/");
    const pair = await pickModel(this.#stage, catalogs, {
      title: "Model of the agent",
      active: slash < 0
        ? undefined
        : { profile: current.slice(0, slash), model: current.slice(slash + 1) },
    });
    return pair === undefined ? current : `${pair.profile}/${pair.model}`;
  }

  async #write(current: string): Promise<string> {
    return await askLine(this.#stage, "Model", {
      label: "Model",
      value: current,
      hint: "<profile>/<model>, which a new session goes on with when the agent is chosen",
      placeholder: "the one in use",
    }) ?? current;
  }
}
