/**
 * The contract between Alisio and its plugins: types, and a few helpers. It depends on nothing.
 *
 * @module
 */
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export type {
  Effect,
  ImagePart,
  TextPart,
  ToolContext,
  ToolDefinition,
  ToolResult,
  ToolResultPart,
  UiPart,
} from "./tool.ts";
export { textResult } from "./tool.ts";
export type {
  CodeBlock,
  DiffBlock,
  JsonBlock,
  KeyValueBlock,
  MarkdownBlock,
  MathBlock,
  MermaidBlock,
  ProgressBlock,
  TableBlock,
  TerminalBlock,
  TestCaseResult,
  TestResultsBlock,
  TreeBlock,
  TreeNode,
  UiBlock,
} from "./ui_block.ts";
export { UI_BLOCK_KINDS } from "./ui_block.ts";
export type {
  Loopback,
  LoopbackOptions,
  LoopbackResult,
  OAuthCredential,
  ProviderAuthContext,
  ProviderAuthMethod,
  ProviderAuthPrompt,
  ProviderAuthStep,
  ProviderOAuth,
} from "./auth.ts";
export type {
  AnswerStyle,
  AssistantMessage,
  ModelEvent,
  ModelInfo,
  ModelMessage,
  ModelPrice,
  ModelProvider,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ProviderCreateRequest,
  ProviderErrorCode,
  ProviderErrorOptions,
  ProviderField,
  ProviderRegistration,
  ToolMessage,
  Usage,
  UserMessage,
} from "./provider.ts";
export { ProviderError } from "./provider.ts";
export type {
  CommandContext,
  CommandHandler,
  CommandOptions,
  Plugin,
  PluginAPI,
  PluginCategory,
  PluginPaths,
  Unregister,
} from "./plugin.ts";
export { definePlugin } from "./plugin.ts";
export type {
  AutonomyEventData,
  CompactionReason,
  KnownRunEvent,
  KnownRunEventType,
  RunEvent,
  RunEventData,
  RunEventEnvelope,
} from "./events.ts";
export type { SqlDatabase, SqlRow, SqlRunResult, SqlStatement, SqlValue } from "./storage.ts";
export type {
  ExtensionOptions,
  ExtensionPoint,
  ExtensionPoints,
  MascotContext,
  MascotProvider,
  PluginExtensions,
  PluginMetadata,
  SearchProvider,
  SearchResult,
  StartupContext,
  StartupFact,
  StartupScreenProvider,
  TerminalCapabilities,
} from "./extension.ts";
export type { PluginResources, ResourceFolder, ResourceKind } from "./resources.ts";
export type {
  CompactionAddition,
  CompactionHooks,
  CompactionInput,
  CompactionRequest,
  CompactionResult,
  PluginCompaction,
} from "./compaction.ts";
export type { AgentInfo, AgentList, AgentNotice, AgentPermission, PluginAgents } from "./agents.ts";
export type {
  ChildRunResult,
  ChildSessionInfo,
  ChildSessionSpec,
  PluginSessions,
  SessionCapabilities,
  SessionStatus,
} from "./child_session.ts";
export type { PluginViews, ViewContext, ViewDefinition } from "./view.ts";
export { ViewParamsError } from "./view.ts";
export type {
  PluginApp,
  PluginAppAction,
  PluginAppConnectMessage,
  PluginAppContext,
  PluginAppErrorCode,
  PluginAppHostMessage,
  PluginAppRequestMessage,
  PluginApps,
} from "./app.ts";
export type { PluginProof, ProofContext, ProofVerdict, ProofVerifier } from "./proof.ts";
export type {
  DecisionActivation,
  DecisionAnswer,
  DecisionConsumer,
  DecisionErrorCode,
  DecisionProvider,
  DecisionQuestion,
  DecisionRequest,
  PluginDecisions,
} from "./decision.ts";
export type {
  EmbeddingProvider,
  PluginSemantic,
  SemanticActivation,
  SemanticConsumer,
  SemanticDocument,
  SemanticErrorCode,
  SemanticMatch,
  SemanticMetadata,
  SemanticSearchOptions,
  SemanticValue,
  VectorCollection,
  VectorQuery,
  VectorRecord,
  VectorStoreOptions,
  VectorStoreProvider,
} from "./semantic.ts";
export type { PluginSession, SessionInfo } from "./session.ts";
export type {
  CompletionMessage,
  CompletionRequest,
  ConfiguredModel,
  PluginModel,
  PluginModels,
} from "./model.ts";
export type { PanelNode, PanelProvider, PluginUi, SelectOption, SelectRequest } from "./ui.ts";
