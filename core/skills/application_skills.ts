import { errorMessage } from "../errors.ts";
import type { YamlParser } from "../frontmatter/frontmatter.ts";
import { isInside } from "../paths/is_inside.ts";
import { quotePath } from "../paths/quote_path.ts";
import type { LoadedSkill, SkillCatalog, SkillReader } from "./skill_catalog.ts";
import { previewText } from "../text/bound_text.ts";
import type { Skill, SkillListing } from "./skill.ts";
import {
  projectSkillFolders,
  type SkillRoot,
  skillRoots,
  type SkillSources,
} from "./skill_roots.ts";

/** What the skills of an application are looked for with. */
export interface ApplicationSkillsPorts {
  /** Where they may come from; asked for at each look. */
  readonly sources: () => SkillSources;
  /** Loads what reads YAML; absent where there are to be no skills. */
  readonly loadYamlParser?: () => Promise<YamlParser>;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** Whether the person has switched the skill of that name off. */
  readonly isDisabled: (name: string) => boolean;
}

const NONE: SkillListing = { skills: [], diagnostics: [] };

/**
 * The skills of an application. Who has none pays for a few looks at the file system, and not for
 * the code behind them.
 */
export class ApplicationSkills implements SkillReader {
  readonly #ports: ApplicationSkillsPorts;
  #opening: Promise<SkillCatalog> | undefined;
  #catalog: SkillCatalog | undefined;

  /** @param ports What they are looked for with. */
  constructor(ports: ApplicationSkillsPorts) {
    this.#ports = ports;
  }

  /** Looks at all folders again. Never throws for what lies in them. */
  async look(): Promise<SkillListing> {
    const { loadYamlParser } = this.#ports;
    if (loadYamlParser === undefined) return NONE;
    if (this.#catalog === undefined && !this.#mayHaveAny()) return NONE;
    this.#catalog = await this.#opened(loadYamlParser);
    return await this.#catalog.refresh();
  }

  /**
   * What a model is told of them, null if it may use none, and what the person should know. Never
   * throws: a session goes on without skills.
   */
  async text(): Promise<{ readonly text: string | null; readonly notices: readonly string[] }> {
    try {
      return await this.#text();
    } catch (error) {
      const reason = previewText(errorMessage(error), 300);
      return { text: null, notices: [`Skills are left out, because of a failure: ${reason}`] };
    }
  }

  async #text(): Promise<{ readonly text: string | null; readonly notices: readonly string[] }> {
    const listing = await this.look();
    const untrusted = this.#untrustedNotices();
    if (listing === NONE) return { text: null, notices: untrusted };
    const { formatSkills, skillNotices } = await import("./skills_text.ts");
    const notices = [...untrusted, ...skillNotices(listing)];
    return { text: formatSkills(listing.skills), notices };
  }

  usable(): readonly Skill[] {
    return this.#catalog?.usable() ?? [];
  }

  async load(name: string): Promise<LoadedSkill> {
    return await (await this.#known()).load(name);
  }

  async resource(name: string, path: string): Promise<string> {
    return await (await this.#known()).resource(name, path);
  }

  /** Also where there are none: it says so. */
  async #known(): Promise<SkillCatalog> {
    const { loadYamlParser } = this.#ports;
    if (loadYamlParser === undefined) throw new TypeError("There are no skills in this program");
    return await this.#opened(loadYamlParser);
  }

  /** What failed once is tried again. */
  async #opened(loadYamlParser: () => Promise<YamlParser>): Promise<SkillCatalog> {
    this.#opening ??= this.#open(loadYamlParser);
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #open(loadYamlParser: () => Promise<YamlParser>): Promise<SkillCatalog> {
    const [{ SkillCatalog }, parse] = await Promise.all([
      import("./skill_catalog.ts"),
      loadYamlParser(),
    ]);
    const { isClosed, isDisabled } = this.#ports;
    return new SkillCatalog({
      roots: () => this.#roots(),
      parse,
      isDisabled,
      ...isClosed === undefined ? {} : { isClosed },
    });
  }

  /** Those in the directory that is worked in are named with whatever else of it needs trust. */
  #untrustedNotices(): readonly string[] {
    const { root, cwd, trusted } = this.#ports.sources();
    if (trusted || this.#ports.loadYamlParser === undefined) return [];
    const above = projectSkillFolders(root, cwd)
      .filter((path) => !isInside(path, cwd) && isThere(path));
    if (above.length === 0) return [];
    return [
      `Left out skills in ${above.map(quotePath).join(", ")}: the project is not trusted; ` +
      'review it with "alisio trust add", or pass "--trust-project" once',
    ];
  }

  #mayHaveAny(): boolean {
    return this.#roots().some(({ path, isNamed }) => isNamed || isThere(path));
  }

  #roots(): readonly SkillRoot[] {
    return skillRoots(this.#ports.sources());
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
