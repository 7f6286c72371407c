import assert from "node:assert/strict";
import { isCodeVariable } from "../../../../core/gate/shell/code_variable.ts";

Deno.test("isCodeVariable() tells variables that change what runs from others", () => {
  const code =
    "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS PAGER GIT_PAGER " +
    "GIT_SSH_COMMAND GIT_EXTERNAL_DIFF EDITOR VISUAL PYTHONPATH PYTHONSTARTUP NODE_OPTIONS NODE_PATH " +
    "PERL5OPT PERL5LIB RUBYOPT RUBYLIB npm_config_script_shell CARGO_BUILD_RUSTC RUSTC_WRAPPER GOFLAGS " +
    "JAVA_TOOL_OPTIONS MAKEFLAGS CC HOME XDG_CONFIG_HOME LESSOPEN SHELL MANPAGER RSYNC_RSH TAR_OPTIONS " +
    "RIPGREP_CONFIG_PATH PROMPT_COMMAND PS4 BROWSER https_proxy MY_TOOL_COMMAND FOO_PAGER TERMINFO " +
    "PYENV_ROOT ASDF_DATA_DIR CMAKE_C_COMPILER_LAUNCHER CMAKE_TOOLCHAIN_FILE";
  const plain =
    "FOO BAR LANG LC_ALL TZ NO_COLOR FORCE_COLOR CI NODE_ENV DEBUG RUST_LOG RUST_BACKTRACE " +
    "COLUMNS TERM PYTHONUNBUFFERED PORT DATABASE_URL GOOGLE EDITORIAL PATHOLOGY VERBOSE";
  for (const name of code.split(" ")) assert.equal(isCodeVariable(name), true, name);
  for (const name of plain.split(" ")) assert.equal(isCodeVariable(name), false, name);
});
