import assert from "node:assert/strict";
import type { Panel, PanelFactory } from "../../../tui/panels/panel.ts";
import { PanelStack } from "../../../tui/panels/panel_stack.ts";

interface NamedPanel extends Panel {
  readonly name: string;
  readonly done: (choice: string | undefined) => void;
}

function createScene() {
  const shown: string[] = [];
  const made: NamedPanel[] = [];
  const stack = new PanelStack({
    rows: () => 10,
    redraw() {},
    show: (panel) => shown.push(made.find((each) => each === panel)?.name ?? "editor"),
  });
  const panel = (name: string): PanelFactory<string> => (done) => {
    const created: NamedPanel = {
      name,
      done,
      focused: false,
      render: () => [name],
      handleInput() {},
      invalidate() {},
    };
    made.push(created);
    return created;
  };
  const find = (name: string) => {
    const found = made.find((each) => each.name === name);
    assert.ok(found, name);
    return found;
  };
  return { shown, made, stack, panel, find };
}

Deno.test("PanelStack shows questions in order and before panels of the person", async () => {
  const { shown, stack, panel, find, made } = createScene();
  const picker = stack.open(panel("picker"));
  const first = stack.open(panel("first"), { kind: "question" });
  const second = stack.open(panel("second"), { kind: "question" });
  assert.deepEqual([stack.shown, stack.questions], ["question", 2]);
  assert.deepEqual(made.map(({ name }) => name), ["picker", "first"]);
  find("first").done("yes");
  find("second").done("no");
  find("picker").done("model");
  assert.deepEqual(await Promise.all([picker, first, second]), ["model", "yes", "no"]);
  assert.deepEqual(shown, ["picker", "first", "second", "picker", "editor"]);
  assert.deepEqual([stack.shown, stack.questions], [undefined, 0]);
});

Deno.test("PanelStack shows a panel that a panel opens, and then the one before", async () => {
  const { shown, stack, panel, find } = createScene();
  const below = stack.open(panel("below"));
  const above = stack.open(panel("above"));
  find("above").done("a");
  find("below").done("b");
  assert.deepEqual([await below, await above], ["b", "a"]);
  assert.deepEqual(shown, ["below", "above", "below", "editor"]);
});

Deno.test("PanelStack takes a panel back on the screen and in the queue", async () => {
  const { shown, stack, panel, find, made } = createScene();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = stack.open(panel("first"), { kind: "question", signal: one.signal });
  const second = stack.open(panel("second"), { kind: "question", signal: two.signal });
  const third = stack.open(panel("third"), { kind: "question" });
  two.abort();
  one.abort();
  find("third").done("yes");
  assert.deepEqual(await Promise.all([first, second, third]), [undefined, undefined, "yes"]);
  assert.deepEqual(shown, ["first", "third", "editor"]);
  assert.deepEqual(made.map(({ name }) => name), ["first", "third"]);
  const late = await stack.open(panel("late"), { signal: one.signal });
  assert.deepEqual([late, shown.length], [undefined, 3]);
});

Deno.test("PanelStack goes on when a panel cannot be made, or is done at once", async () => {
  const { shown, stack, panel, find } = createScene();
  const failing = stack.open(() => {
    throw new TypeError("no such theme");
  });
  await assert.rejects(failing, { message: "no such theme" });
  const instant = stack.open<string>((done, frame) => {
    done("at once");
    return panel("instant")(done, frame);
  });
  assert.equal(await instant, "at once");
  const next = stack.open(panel("next"));
  find("next").done("x");
  find("next").done("y");
  assert.equal(await next, "x");
  assert.deepEqual(shown.filter((name) => name !== "editor"), ["next"]);
});

Deno.test("PanelStack ends every wait when it is closed", async () => {
  const { stack, panel, shown, made } = createScene();
  const waits = [
    stack.open(panel("a")),
    stack.open(panel("b"), { kind: "question" }),
    stack.open(panel("c"), { kind: "question" }),
  ];
  stack.close();
  assert.deepEqual(await Promise.all(waits), [undefined, undefined, undefined]);
  assert.equal(await stack.open(panel("late")), undefined);
  assert.deepEqual(shown, ["a", "b", "editor"]);
  assert.deepEqual(made.map(({ name }) => name), ["a", "b"]);
});
