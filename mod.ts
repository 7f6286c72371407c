/**
 * Alisio for programs that embed it.
 *
 * @example Ask about a project without any permission
 * ```ts
 * import type { ModelProvider } from "@alisio/sdk";
 * import { createApplication, createStandardTools, loadSchemaValidator } from "./mod.ts";
 *
 * async function ask(provider: ModelProvider, prompt: string): Promise<string> {
 *   const application = await createApplication({
 *     cwd: Deno.cwd(),
 *     env: Deno.env.toObject(),
 *     provider,
 *     model: "some-model",
 *     tools: createStandardTools,
 *     plugins: [],
 *     loadValidator: loadSchemaValidator,
 *   });
 *   try {
 *     const session = await application.createSession();
 *     const signal = AbortSignal.timeout(60_000);
 *     return (await session.run(prompt, { signal, observers: [] })).text;
 *   } finally {
 *     await application.close();
 *   }
 * }
 * ```
 *
 * @module
 */
export type {
  AnswerStyle,
  AssistantMessage,
  AutonomyEventData,
  CodeBlock,
  CompactionReason,
  DiffBlock,
  Effect,
  ImagePart,
  JsonBlock,
  JsonObject,
  JsonSchema,
  JsonValue,
  KeyValueBlock,
  KnownRunEvent,
  KnownRunEventType,
  MarkdownBlock,
  MascotContext,
  MascotProvider,
  MathBlock,
  MermaidBlock,
  ModelEvent,
  ModelInfo,
  ModelMessage,
  ModelPrice,
  ModelProvider,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  Plugin,
  PluginAPI,
  PluginMetadata,
  ProgressBlock,
  ProviderCreateRequest,
  ProviderField,
  ProviderRegistration,
  RunEvent,
  RunEventData,
  RunEventEnvelope,
  StartupContext,
  StartupFact,
  StartupScreenProvider,
  TableBlock,
  TerminalBlock,
  TerminalCapabilities,
  TestCaseResult,
  TestResultsBlock,
  TextPart,
  ToolContext,
  ToolDefinition,
  ToolMessage,
  ToolResult,
  ToolResultPart,
  TreeBlock,
  TreeNode,
  UiBlock,
  UiPart,
  Unregister,
  Usage,
  UserMessage,
} from "@alisio/sdk";
export { Application, createApplication } from "./core/application.ts";
export type {
  ApplicationOptions,
  BuiltinPlugin,
  BuiltinPluginPorts,
  OpenOptions,
  ToolFacts,
} from "./core/application_options.ts";
export { AlisioError } from "./core/errors.ts";
export type { AlisioErrorCode } from "./core/errors.ts";
export type {
  ApprovalAnswer,
  ApprovalChannel,
  ApprovalChoice,
  ApprovalProgram,
  ApprovalQuestion,
  ApprovalReplacement,
  ApprovalReply,
  ApprovalSummary,
  Approver,
  AskOptions,
  AttributedAnswer,
  NoDecision,
} from "./core/gate/approval.ts";
export type { DecisionSubject } from "./core/gate/decide.ts";
export type { DecisionSource } from "./core/gate/decision_record.ts";
export type { PermissionMode, PermissionModeLabel } from "./core/gate/permission_mode.ts";
export { DefaultAlisioMascot, DefaultStartupScreen } from "./core/startup/default_providers.ts";
export {
  composeSideBySide,
  infoSection,
  mascotSection,
  pluginsSection,
  shortenPath,
  startupTips,
  tipsSection,
  titleSection,
  welcomeSection,
} from "./core/startup/startup_sections.ts";
export type { FileChange, RecordedChange } from "./core/files/file_change.ts";
export type { JudgedPath } from "./core/paths/judged_path.ts";
export type { YamlParser } from "./core/frontmatter/frontmatter.ts";
export type { ExpandedPrompt } from "./core/prompts/expand_prompt.ts";
export { OpenSession } from "./core/run/open_session.ts";
export type { CommandResult } from "./core/plugins/run_plugin_command.ts";
export type { CompactSessionOptions, PromptOptions } from "./core/run/open_session.ts";
export type { CompactionOutcome } from "./core/compaction/compactor.ts";
export type { ContextUsage } from "./core/run/context_meter.ts";
export { RunCancelledError, RunFailedError } from "./core/run/run_error.ts";
export type { RunFailureCode } from "./core/run/run_error.ts";
export type { RunObserver } from "./core/run/run_events.ts";
export type { RunLimits } from "./core/run/run_limits.ts";
export type { RunResult } from "./core/run/run_ports.ts";
export type { ReceiptSubject } from "./core/run/tool_receipts.ts";
export type { ImplementationPrompt } from "./core/plan/implementation_prompt.ts";
export type { DiagramType, PlanDiagram } from "./core/plan/plan_diagram.ts";
export type { DiagramRevision, DiagramStatus } from "./core/plan/plan_document.ts";
export type { HashedDiagram } from "./core/plan/plan_hash.ts";
export type { ProposedPlan } from "./core/plan/plan_review.ts";
export type { HostTool, HostToolContext, ToolRun } from "./core/tools/host_tool.ts";
export type { InputProblem, InputValidator } from "./core/tools/input_validator.ts";
export type {
  Question,
  QuestionAnswer,
  QuestionAsker,
  QuestionOption,
} from "./core/tools/user_question.ts";
export type { UsableBackend } from "./core/sandbox/sandbox_backend.ts";
export {
  createStandardTools,
  loadSchemaValidator,
  loadYamlParser,
} from "./tools/standard_tools.ts";
export { VERSION } from "./core/version.ts";
