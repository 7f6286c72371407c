import { errorMessage } from "../../core/errors.ts";
import { type BackgroundTask, isLive } from "../../core/tasks/background_task.ts";
import type { BackgroundTasks } from "../../core/tasks/background_tasks.ts";
import { ConfirmPanel } from "../panels/confirm_panel.ts";
import { ListPicker, type PickerItem } from "../panels/list_picker.ts";
import { TextPanel } from "../panels/text_panel.ts";
import type { Stage } from "../stage.ts";
import { describeTask, statusLabel, taskDuration } from "./task_text.ts";

/** How often output and times are looked at again. */
const LOOK_MS = 1_000;
const MAX_LISTED = 200;
/** How much of the end of the output is shown. */
const SHOWN_BYTES = 32 * 1024;

/** The tasks of one session, and where they are shown. */
interface TaskView {
  readonly stage: Stage;
  readonly tasks: BackgroundTasks;
  readonly sessionId: string;
}

/**
 * Shows the background tasks of the session, until the person leaves.
 *
 * @param stage The conversation.
 */
export async function openTaskPanel(stage: Stage): Promise<void> {
  const session = stage.session();
  if (session === undefined) return stage.say("There are no background tasks yet");
  const view = { stage, tasks: await stage.application.tasks(), sessionId: session.id };
  let id: string | undefined;
  do {
    id = await showList(view, id);
  } while (id !== undefined && await showTask(view, id) === "list");
}

/** The task that was chosen; undefined to leave. */
async function showList(view: TaskView, before: string | undefined): Promise<string | undefined> {
  const { stage, tasks } = view;
  const watch = new Watch(tasks);
  try {
    return await stage.panels.open<string>((done, frame) => {
      const picker = new ListPicker<string>({
        title: "Background tasks",
        items: itemsOf(view),
        theme: stage.theme,
        frame,
        isFilterable: false,
        selected: ({ value }) => value === before,
        confirmHelp: "Enter open",
        emptyText: "No background tasks in this session",
        onChoose: ({ value }) => done(value),
        onCancel: () => done(undefined),
        keys: [
          {
            keys: ["s"],
            help: "s stop",
            run: (item) => void (item === undefined ? undefined : stop(view, item.value)),
          },
          { keys: ["q"], help: "q close", run: () => done(undefined) },
        ],
      });
      watch.onChange = () => picker.setItems(itemsOf(view));
      return picker;
    });
  } finally {
    watch.close();
  }
}

function itemsOf({ tasks, sessionId }: TaskView): readonly PickerItem<string>[] {
  const now = Date.now();
  return tasks.list(sessionId, { limit: MAX_LISTED }).map((task) => ({
    value: task.id,
    label: task.label,
    description: [statusLabel(task), taskDuration(task, now)].filter((part) => part !== "")
      .join(" · "),
  }));
}

async function showTask(view: TaskView, id: string): Promise<"list" | "close" | undefined> {
  const { stage, tasks } = view;
  const body = await bodyOf(view, id);
  const watch = new Watch(tasks);
  try {
    return await stage.panels.open<"list" | "close">((done, frame) => {
      const panel = new TextPanel({
        title: tasks.find(view.sessionId, id).label,
        body,
        theme: stage.theme,
        frame,
        followsEnd: true,
        onClose: () => done("list"),
        keys: [
          { keys: ["s"], help: "s stop", run: () => void stop(view, id) },
          { keys: ["q"], help: "q close", run: () => done("close") },
        ],
      });
      let shown = body;
      watch.onChange = async () => {
        const text = await bodyOf(view, id);
        if (text === shown || watch.isClosed) return;
        shown = text;
        panel.setBody(text);
      };
      return panel;
    });
  } finally {
    watch.close();
  }
}

async function bodyOf({ tasks, sessionId }: TaskView, id: string): Promise<string> {
  const task = tasks.find(sessionId, id);
  return `${describeTask(task, Date.now())}\n\n${await endOfOutput(tasks, task)}`;
}

async function endOfOutput(tasks: BackgroundTasks, task: BackgroundTask): Promise<string> {
  const offset = Math.max(0, task.outputBytes - SHOWN_BYTES);
  const { text } = await tasks.read(task.rootSessionId, task.id, {
    offset,
    // What came meanwhile is shown the next time.
    limit: SHOWN_BYTES,
  });
  if (text === "") return isLive(task) ? "(no output yet)" : "(no output)";
  // The first line is cut somewhere, even inside a character.
  return offset === 0 ? text : `…${text.slice(Math.max(0, text.indexOf("\n")))}`;
}

/** Asks first; what has ended meanwhile is left alone. */
async function stop({ stage, tasks, sessionId }: TaskView, id: string): Promise<void> {
  try {
    const { label, command } = tasks.find(sessionId, id);
    if (!isLive(tasks.find(sessionId, id))) return;
    const isSure = await stage.panels.open<boolean>((done, frame) =>
      new ConfirmPanel({
        title: `Stop ${label}?`,
        body: command,
        yes: "Stop",
        no: "Let it run",
        theme: stage.theme,
        frame,
        onAnswer: done,
      })
    );
    if (isSure === true) await tasks.stop(sessionId, id, "user");
  } catch (error) {
    stage.say(errorMessage(error), "warning");
  }
}

/** Looks again whenever a task changes, and every second. */
class Watch {
  /** Must not throw; a rejection means that it looks again later. */
  onChange: () => Promise<void> | void = () => {};
  readonly #leave: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #isClosed = false;
  #isLooking = false;

  constructor(tasks: BackgroundTasks) {
    this.#leave = tasks.subscribe(() => void this.#look());
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    try {
      await this.onChange();
    } catch {
      // The record or the log cannot be read at the moment.
    } finally {
      this.#isLooking = false;
    }
  }
}
