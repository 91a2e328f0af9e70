/** The offline model: fixed rules in a model's place, for demos and for trying things out. */
export { offlineModel } from './offline-model.ts';
