import type { ModelDelta, ModelReply, ModelRequest } from '../../machines/vocabulary/model.ts';

/**
 * A language model. Implementations resolve with a whole reply, or reject with an
 * `AgentHubError<ModelErrorCode>` whose `details` are {@link ModelErrorDetails}.
 * What a request's messages say in words, their `origin` says as data: it is not for providers.
 * They abort when `signal` does, and send no delta after that.
 */
export interface Model {
  /** For people: provider and model, such as `glm-4.6 at open.bigmodel.cn`. Never a secret. */
  readonly name: string;
  generate(request: ModelRequest, options: GenerateOptions): Promise<ModelReply>;
}

/** What a model is given beside its request. */
export interface GenerateOptions {
  readonly signal: AbortSignal;
  /** Called for each piece as it arrives; not called once `signal` has aborted. */
  readonly onDelta?: (delta: ModelDelta) => void;
}
