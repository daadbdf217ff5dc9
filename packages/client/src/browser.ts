// The entry point of the API client for browsers, workers, Deno and Bun. It imports nothing from Node.js. Its
// `verifyWebhook` returns a promise, because Web Crypto works with promises.
export { createClient } from './create-client.js';
export type {
  Answer,
  Client,
  ClientOptions,
  FileBytes,
  Schemas,
  SendFileOptions,
  UploadOptions,
} from './client-types.js';
export { ApiError, NetworkError } from './errors.js';
export type { ErrorCode, FieldFault } from './errors.js';
export { isFindingOf } from './typed-evidence.js';
export type { EvidenceOf, FindingType } from './typed-evidence.js';
export type { Retry } from './retry.js';
export { verifyWebhook } from './verify-webhook-web.js';
export { WebhookError } from './webhook-request.js';
export type { WebhookEvent, WebhookFault, WebhookHeaders, WebhookRequest } from './webhook-request.js';
