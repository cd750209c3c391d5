export { CircuitBreaker, type CircuitBreakerProps } from './circuit-breaker.ts';
export { CircuitBreakerApi, type CircuitBreakerApiProps } from './circuit-breaker-api.ts';
export { CircuitStore, type CircuitStoreProps } from './circuit-store.ts';
export { LambdaBinaries, type FunctionName } from './lambda-binaries.ts';
export { checkPolicies, policiesOf, PolicyError, type Policy, type PolicySource } from './policy.ts';
export { StepbreakerStack, type StepbreakerStackProps } from './stepbreaker-stack.ts';
