export {
  type Hold,
  hold,
  type ScriptedError,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.ts';
