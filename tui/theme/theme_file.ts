import type { ConfigProblem } from "../../core/config/check_config.ts";
import { ConfigError } from "../../core/config/config_error.ts";
import { isObject } from "../../core/config/is_object.ts";
import { nearestName } from "../../core/config/nearest_name.ts";
import { parseConfig } from "../../core/config/parse_config.ts";
import { quoted } from "../../core/config/quoted.ts";
import { BUILT_IN_THEMES, type RoleStyle, type ThemeStyles } from "./built_in_themes.ts";
import { type Colour, isColour } from "./colour.ts";
import type { Role } from "./theme.ts";

const COLOUR_KEYS = ["color", "background"] as const;
const FLAG_KEYS = ["bold", "faint", "italic", "underline", "inverse"] as const;
const STYLE_KEYS: readonly string[] = [...COLOUR_KEYS, ...FLAG_KEYS];
const ROLES = Object.keys(BUILT_IN_THEMES.dark.roles);
const COLOUR_RULE = 'must be "#rrggbb", a number from 0 to 255, or "default"';

/**
 * Parses a theme of the person. What it does not name is as in the built-in theme of its
 * background.
 *
 * @param bytes The content of the file.
 * @param file Where it came from, for the message.
 * @throws {AlisioError} `config_invalid` with every problem.
 */
export function parseTheme(bytes: Uint8Array, file: string): ThemeStyles {
  const value = parseConfig(bytes, file);
  const problems = problemsOf(value);
  if (problems.length > 0 || !isObject(value)) throw new ConfigError(file, problems);
  const background = value.background === "light" ? "light" : "dark";
  const given = isObject(value.roles) ? value.roles : {};
  const own = Object.entries(given).map(([role, style]) => [role, styleOf(style)] as const);
  return {
    background,
    roles: { ...BUILT_IN_THEMES[background].roles, ...Object.fromEntries(own) } as ThemeStyles[
      "roles"
    ],
  };
}

/** Checked already: a colour alone, or an object of colours and flags. */
function styleOf(style: unknown): RoleStyle {
  return isObject(style) ? style as RoleStyle : { color: style as Colour };
}

function problemsOf(value: unknown): readonly ConfigProblem[] {
  if (!isObject(value)) return [{ key: "", message: 'must be an object with "roles"' }];
  return [
    ...unknownKeys(value, ["background", "roles"], ""),
    ...(value.background === undefined || value.background === "dark" ||
        value.background === "light"
      ? []
      : [{ key: "background", message: 'must be "dark" or "light"' }]),
    ...rolesProblems(value.roles),
  ];
}

function rolesProblems(roles: unknown): readonly ConfigProblem[] {
  if (roles === undefined) return [];
  if (!isObject(roles)) return [{ key: "roles", message: "must be an object" }];
  return [
    ...unknownKeys(roles, ROLES, "roles."),
    ...Object.entries(roles)
      .filter(([role]) => isRole(role))
      .flatMap(([role, style]) => styleProblems(style, `roles.${role}`)),
  ];
}

function styleProblems(style: unknown, key: string): readonly ConfigProblem[] {
  if (!isObject(style)) {
    return isColour(style) ? [] : [{ key, message: `${COLOUR_RULE}, or an object` }];
  }
  return [
    ...unknownKeys(style, STYLE_KEYS, `${key}.`),
    ...COLOUR_KEYS.filter((name) => style[name] !== undefined && !isColour(style[name]))
      .map((name) => ({ key: `${key}.${name}`, message: COLOUR_RULE })),
    ...FLAG_KEYS.filter((name) => !["boolean", "undefined"].includes(typeof style[name]))
      .map((name) => ({ key: `${key}.${name}`, message: "must be true or false" })),
  ];
}

function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  prefix: string,
): readonly ConfigProblem[] {
  return Object.keys(value).filter((key) => !known.includes(key)).map((key) => {
    const nearest = nearestName(key, known);
    return {
      key: prefix + quoted(key, 100).slice(1, -1),
      message: `is not known; there is ${known.join(", ")}`,
      ...(nearest === undefined ? {} : { message: "is not known", nearest }),
    };
  });
}

function isRole(name: string): name is Role {
  return ROLES.includes(name);
}
