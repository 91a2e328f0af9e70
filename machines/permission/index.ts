/** The pure permission evaluator: facts and authorization in, a decision with reasons out. */
export {
  type Authorization,
  authorizationOf,
  type Circumstances,
  type Consideration,
  type Decision,
  evaluate,
  explain,
  type Facts,
  NO_AUTHORIZATION,
} from './evaluate.ts';
export {
  type Condition,
  DEFAULT_POLICIES,
  type Policies,
  type Policy,
  type Rule,
} from './policies.ts';
export { APPROVALS, type Approval, type Reason, type ReasonCode, reason } from './reasons.ts';
