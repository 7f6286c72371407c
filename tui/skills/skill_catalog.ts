import { errorMessage } from "../../core/errors.ts";
import { basename, dirname } from "../../core/paths/path.ts";
import type { Skill, SkillListing, SkillScope } from "../../core/skills/skill.ts";
import { ListPicker, type PickerItem } from "../panels/list_picker.ts";
import { showText } from "../panels/show_panels.ts";
import { formatTokens } from "../screen/format_count.ts";
import type { Stage } from "../stage.ts";

/** What skills are ordered by; a key goes through them in this order. */
export const SKILL_ORDERS = ["name", "source", "tokens"] as const;

/** One of {@linkcode SKILL_ORDERS}. */
export type SkillOrder = typeof SKILL_ORDERS[number];

/** A line of the catalog: a skill, or what is wrong with a file. */
export type SkillLine =
  | { readonly kind: "skill"; readonly skill: Skill }
  | { readonly kind: "problem"; readonly path: string; readonly message: string };

/** Where skills come from, the kind that wins first. */
const SCOPES: readonly SkillScope[] = ["project", "config", "user", "plugin"];

const SCOPE_NAMES: Readonly<Record<SkillScope, string>> = {
  project: "Project",
  config: "Configuration",
  user: "Your own",
  plugin: "Plugins",
};

/**
 * Lets the person look at skills and switch them on and off.
 *
 * @param stage The conversation.
 * @param search What is searched for at first; may be empty.
 */
export async function openSkillCatalog(stage: Stage, search: string): Promise<void> {
  const { application } = stage;
  const { signal } = new AbortController();
  let listing = await application.listSkills();
  let order: SkillOrder = "name";
  let switching: Promise<void> | undefined;
  await stage.panels.open<never>((done, frame) => {
    const change = async (skill: Skill) => {
      try {
        if (!await switchSkill(stage, skill, signal)) return;
        listing = await application.listSkills();
        picker.setItems(skillItems(listing, order));
      } catch (error) {
        stage.say(errorMessage(error), "error");
      } finally {
        switching = undefined;
      }
    };
    const choose = ({ value }: PickerItem<SkillLine>) => {
      if (value.kind === "problem") return void showProblem(stage, value);
      // A key that is held down must not overtake what it wrote before.
      switching ??= change(value.skill);
    };
    const picker = new ListPicker<SkillLine>({
      title: () => `Skills by ${order}`,
      items: skillItems(listing, order),
      theme: stage.theme,
      frame,
      emptyText: "There is no skill; docs/skills.md says how to write one",
      confirmHelp: "Enter Space on or off",
      searchKey: "/",
      search,
      onChoose: choose,
      onCancel: () => done(undefined),
      keys: [{
        keys: ["space"],
        help: "",
        run: (item) => item === undefined ? undefined : choose(item),
      }, {
        keys: ["t"],
        help: "t sort",
        run: () => {
          order = orderAfter(order);
          picker.setItems(skillItems(listing, order));
        },
      }],
      detail: ({ value }) => detailOf(value),
    });
    return picker;
  });
  await switching;
}

/**
 * Lines of the catalog, what is wrong with files last. Pure.
 *
 * @param listing What there is.
 * @param order What skills are ordered by.
 */
export function skillItems(
  { skills, diagnostics }: SkillListing,
  order: SkillOrder,
): readonly PickerItem<SkillLine>[] {
  const byName = [...skills].sort((one, other) => compare(one.name, other.name));
  const sorted = order === "name"
    ? byName
    : byName.sort((one, other) =>
      order === "tokens"
        ? other.tokens - one.tokens
        : SCOPES.indexOf(one.scope) - SCOPES.indexOf(other.scope)
    );
  return [
    ...sorted.map((skill): PickerItem<SkillLine> => ({
      value: { kind: "skill", skill },
      label: skill.name,
      description: [
        `~${formatTokens(skill.tokens)}`,
        ...order === "source" ? [] : [skill.plugin ?? skill.scope],
        ...notesOf(skill),
        skill.description,
      ].join("  "),
      mark: markOf(skill),
      ...order === "source" ? { group: SCOPE_NAMES[skill.scope] } : {},
      keywords: `${skill.scope} ${skill.plugin ?? ""}`,
    })),
    ...diagnostics.map(({ path, severity, message }): PickerItem<SkillLine> => ({
      value: { kind: "problem", path, message },
      label: `${basename(dirname(path))}/${basename(path)}`,
      description: message,
      mark: severity === "error" ? "[!]" : "[?]",
      group: "Something is wrong",
      keywords: path,
    })),
  ];
}

/** Whether anything was written. */
async function switchSkill(stage: Stage, skill: Skill, signal: AbortSignal): Promise<boolean> {
  const { application } = stage;
  const refusal = refusalOf(skill, application.permissionMode() === "read-only");
  if (refusal !== null) {
    stage.say(`Cannot switch skill "${skill.name}": ${refusal}`, "warning");
    return false;
  }
  const remark = await application.switchSkill(skill.name, !skill.enabled, signal);
  if (remark !== null) stage.say(remark, "warning");
  return true;
}

/** Why a skill cannot be switched; null where it can be tried. */
function refusalOf({ plugin, locked, shadowedBy }: Skill, isReadOnly: boolean): string | null {
  if (shadowedBy !== undefined) return `another one has its name, in ${shadowedBy}`;
  if (locked) return `plugin "${plugin}" brings it; switch the plugin in /plugins`;
  return isReadOnly ? "this run changes nothing; start again without --read-only" : null;
}

async function showProblem(
  stage: Stage,
  { path, message }: Extract<SkillLine, { readonly kind: "problem" }>,
): Promise<void> {
  await showText(stage, { title: "Something is wrong", body: `${path}\n\n${message}` });
}

function markOf({ enabled, locked, shadowedBy }: Skill): string {
  if (shadowedBy !== undefined) return "[-]";
  if (locked) return "[#]";
  return enabled ? "[x]" : "[ ]";
}

function notesOf({ locked, shadowedBy }: Skill): readonly string[] {
  if (shadowedBy !== undefined) return ["shadowed"];
  return locked ? ["locked"] : [];
}

function detailOf(line: SkillLine): string {
  if (line.kind === "problem") return line.path;
  const { description, path, shadowedBy } = line.skill;
  return shadowedBy === undefined
    ? `${description} (${path})`
    : `Another one is used in its place: ${shadowedBy} (${path})`;
}

function orderAfter(order: SkillOrder): SkillOrder {
  return SKILL_ORDERS[(SKILL_ORDERS.indexOf(order) + 1) % SKILL_ORDERS.length] ?? "name";
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
