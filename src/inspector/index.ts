/** The inspector: a page on which people watch runs and decide, for hosts to mount or to start. */

export type { AnswerReply, ChartLayout, RunPage, RunState, StepRow } from './api.types.ts';
export type { RestoreRun } from './server/going-on.ts';
export {
  createInspectorHandler,
  type InspectorHandler,
  type InspectorHandlerOptions,
} from './server/handler.ts';
export {
  type Inspector,
  type StartInspectorOptions,
  startInspector,
} from './server/start-inspector.ts';
export {
  createStatelyInspection,
  type StatelyInspectionOptions,
  type StatelyMessage,
} from './stately.ts';
export { type StatelyRelay, type StatelyRelayOptions, startStatelyRelay } from './stately-relay.ts';
