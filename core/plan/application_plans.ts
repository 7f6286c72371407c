import type { ApplicationAgents } from "../agents/application_agents.ts";
import type { PlanSettings } from "../config/configuration.ts";
import type { ImplementationPrompt } from "./implementation_prompt.ts";
import { type PlanCall, PlanDesk, type PlanDeskPorts } from "./plan_desk.ts";
import type { PlanInput, PlanOutcome } from "./plan_outcome.ts";
import type { PlanPort } from "./plan_port.ts";

/** What the plans of an application are made with. */
export interface ApplicationPlansPorts extends Omit<PlanDeskPorts, "settings"> {
  readonly agents: Pick<ApplicationAgents, "isPlanning" | "choose">;
  /** What the configuration said when the application was opened. */
  readonly settings: PlanSettings;
  /** Reads what it says now. */
  readonly readSettings: () => Promise<PlanSettings>;
}

/** The agent that does what was planned. */
const BUILDER = "build";

/** Plans of an application, from the agent that makes them to the one that implements them. */
export class ApplicationPlans implements PlanPort {
  readonly #ports: ApplicationPlansPorts;
  readonly #desk: PlanDesk;
  #settings: PlanSettings;

  /** @param ports What they are made with. */
  constructor(ports: ApplicationPlansPorts) {
    this.#ports = ports;
    this.#settings = ports.settings;
    this.#desk = new PlanDesk({ ...ports, settings: () => this.#settings });
  }

  isOffered(): boolean {
    return this.#ports.agents.isPlanning;
  }

  maxDiagrams(): number {
    return this.#settings.diagrams ? this.#settings.maxDiagrams : 0;
  }

  async propose(input: PlanInput, call: PlanCall): Promise<PlanOutcome> {
    return await this.#desk.propose(input, call);
  }

  /** Learns what the configuration says by now. Never throws. */
  async refresh(): Promise<void> {
    // What cannot be read leaves the settings as they were.
    this.#settings = await this.#ports.readSettings().catch(() => this.#settings);
  }

  /**
   * Settles what a run left open. Never throws.
   *
   * @param sessionId Its session.
   * @param end How it ended.
   */
  endRun(sessionId: string, end: "cancelled" | "ended"): void {
    try {
      this.#desk.endRun(sessionId, end);
    } catch {
      // The run says how it ended; what is left open is settled when the session is opened again.
    }
  }

  /**
   * Settles what a process left behind that did not end in order.
   *
   * @param sessionId A session that this process holds the lease of.
   * @returns What the person should know, if there is anything.
   */
  recover(sessionId: string): string | null {
    return this.#desk.recover(sessionId);
  }

  /**
   * Takes an approved plan, and lets the agent take over that does what was planned.
   *
   * @param sessionId The session, in which nothing runs.
   * @throws {AlisioError} `usage` if that agent cannot take over; the approval is dropped then.
   */
  async take(sessionId: string): Promise<ImplementationPrompt | null> {
    if (!this.#desk.isApproved(sessionId)) return null;
    try {
      await this.#ports.agents.choose(BUILDER);
    } catch (error) {
      this.#desk.drop(sessionId);
      throw error;
    }
    return this.#desk.take(sessionId);
  }
}
