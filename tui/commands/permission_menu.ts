import type { Application } from "../../core/application.ts";
import { quoted } from "../../core/config/quoted.ts";
import { EFFECT_WORDS } from "../../core/gate/decide.ts";
import type { SessionGrant } from "../../core/gate/grants.ts";
import {
  type DecidedEffect,
  PERMISSION_MODES,
  type PermissionMode,
} from "../../core/gate/permission_mode.ts";
import type { Verdict } from "../../core/gate/policy.ts";
import { quotePath } from "../../core/paths/quote_path.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import { askToConfirm, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";

type Choice = PermissionMode | "status" | "saved";

const MODES: readonly PickerItem<Choice>[] = [
  {
    value: "ask",
    label: "Use ask mode",
    description: "Asks before writes, commands and the network",
  },
  {
    value: "auto",
    label: "Use auto mode",
    description: "Changes files of the workspace unasked; asks before commands and the network",
  },
  {
    value: "full",
    label: "Use full access mode",
    description: "Writes, runs commands and uses the network unasked",
  },
  { value: "status", label: "Status", description: "What runs, what asks and what is off" },
];

const VERDICT_WORDS: Readonly<Record<Verdict, string>> = { allow: "on", ask: "ask", deny: "off" };

/**
 * Lets the person choose what runs without a question.
 *
 * @param stage The conversation.
 */
export async function openPermissionMenu(stage: Stage): Promise<void> {
  const { application } = stage;
  const choice = await pickFromList<Choice>(stage, {
    title: `Permission mode: ${application.permissionMode()}`,
    items: [...MODES, {
      value: "saved",
      label: `Manage saved permissions${stage.theme.look.unicode ? "…" : "..."}`,
      description: "What you allowed for the rest of this session",
    }],
    selected: ({ value }) => value === application.permissionMode(),
    isFilterable: false,
  });
  if (choice === undefined) return;
  if (choice === "status") sayPermissionStatus(stage);
  else if (choice === "saved") await manageGrants(stage);
  else await choosePermissionMode(stage, choice);
}

/**
 * Says which mode there is, and what it does with each effect.
 *
 * @param stage The conversation.
 */
export function sayPermissionStatus(stage: Stage): void {
  stage.say(permissionStatus(stage.application, stage.session()?.id ?? ""));
}

/**
 * Which mode there is, what it does with each effect, and what it says nothing of.
 *
 * @param application Decides.
 * @param sessionId The session whose grants count.
 */
export function permissionStatus(application: Application, sessionId: string): string {
  const verdicts = application.effectVerdicts();
  const effects = (Object.keys(verdicts) as DecidedEffect[])
    .map((effect) => `${effect} ${VERDICT_WORDS[verdicts[effect]]}`);
  const tools = application.gate.status(sessionId);
  const unasked = verdicts.external === "allow"
    ? []
    : tools.filter(({ tool, decision }) =>
      tool.effect === "external" && decision.decision === "allow"
    );
  const granted = application.gate.sessionGrants(sessionId).map(describeGrant);
  return [
    `Permission mode ${application.permissionMode()}: ${effects.join(", ")}`,
    ...unasked.length === 0
      ? []
      : [`Allowed at the start, whatever the mode: ${unasked.map(nameOf).join(", ")}`],
    ...granted.length === 0 ? [] : [`Allowed for this session: ${granted.join(", ")}`],
    ...application.hasRiskProfile
      ? ["A risk profile is in force, which decides about each tool: see /tools"]
      : [],
  ].join("\n");
}

/**
 * Changes the mode, once the person has confirmed what they have to.
 *
 * @param stage The conversation.
 * @param mode The mode.
 * @throws {AlisioError} `usage` where no mode can be chosen.
 */
export async function choosePermissionMode(stage: Stage, mode: PermissionMode): Promise<void> {
  const { application } = stage;
  // Where it cannot be chosen, nobody need confirm it: to try says why.
  const isOpen = application.permissionMode() !== "read-only" && !stage.isRunning();
  if (mode === "full" && isOpen && !await confirmFull(stage)) {
    return stage.say(`Nothing changed: the permission mode is ${application.permissionMode()}`);
  }
  stage.application.setPermissionMode(mode);
  const effects = Object.entries(PERMISSION_MODES[mode])
    .map(([effect, verdict]) => `${effect} ${VERDICT_WORDS[verdict]}`);
  stage.say(
    `Permission mode ${mode}: ${effects.join(", ")}\n` +
      "What was allowed for the session is forgotten",
    mode === "full" ? "warning" : "success",
  );
  stage.redraw();
}

async function confirmFull(stage: Stage): Promise<boolean> {
  const sandbox = stage.application.sandboxBackend();
  const reach = sandbox === null
    ? "This is not a sandbox: whatever runs has your own permissions."
    : `Programs stay in the sandbox ${quoted(sandbox)}; tools of plugins are not in it and have ` +
      "your own permissions.";
  return await askToConfirm(stage, {
    title: "Use full access mode?",
    body: "Writes, commands and the network will run unasked.\n" +
      `${reach}\n` +
      "Directories outside the workspace and protected files are still asked about.",
    yes: "Yes, run everything unasked",
    no: `No, stay in ${stage.application.permissionMode()} mode`,
  });
}

async function manageGrants(stage: Stage): Promise<void> {
  const sessionId = stage.session()?.id ?? "";
  while (true) {
    const { gate } = stage.application;
    const grant = await pickFromList(stage, {
      title: "Saved permissions of this session",
      items: gate.sessionGrants(sessionId).map((value) => ({
        value,
        label: describeGrant(value),
      })),
      emptyText: "Nothing is allowed beyond the mode",
      confirmHelp: "Enter revoke",
      isFilterable: false,
    });
    if (grant === undefined) return;
    gate.revoke(sessionId, grant);
    stage.say(`Revoked: ${describeGrant(grant)}`, "success");
  }
}

function describeGrant(grant: SessionGrant): string {
  switch (grant.kind) {
    case "effect":
      return `${EFFECT_WORDS[grant.effect]} (${grant.effect})`;
    case "tool":
      return `every call of ${grant.tool}`;
    case "directory":
      return `directory ${quotePath(grant.path)}`;
  }
}

function nameOf({ tool }: { readonly tool: { readonly name: string } }): string {
  return tool.name;
}
