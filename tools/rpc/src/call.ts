import { Client, credentials, status, type Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Identity } from '@invoicecontrol/runtime/identity/identity';
import { peerService } from '@invoicecontrol/runtime/identity/service-name';
import type { Method } from './catalogue.js';

export interface CallOptions {
  address: string;
  metadata: Metadata;
  /** Certificate and key with which the caller authenticates. */
  identity: Identity;
  timeoutMs: number;
}

/**
 * Calls the rpc and passes on each message of the response as it arrives.
 *
 * @param requests one message, or any number for an rpc with a request stream
 * @throws ServiceError as grpc-js reports it
 */
export async function call(
  { definition }: Method,
  requests: object[],
  { address, metadata, identity, timeoutMs }: CallOptions,
  onResponse: (response: object) => void,
): Promise<void> {
  const { path, requestSerialize, responseDeserialize, requestStream, responseStream } = definition;
  const checkServerIdentity = (_: string, certificate: { subjectaltname?: string }): Error | undefined => {
    try {
      peerService(certificate.subjectaltname, identity);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };
  const [request = {}] = requests;
  const options = { deadline: Date.now() + timeoutMs };
  const secure = credentials.createFromSecureContext(identity.secureContext, { checkServerIdentity });
  // The name in the certificate is not compared with the address, because certificates name services and any service of
  // the installation may be at the address.
  const client = new Client(address, secure, { 'grpc.ssl_target_name_override': 'service' });
  try {
    await new Promise<void>((resolve, reject) => {
      const answered = (error: ServiceError | null, response?: object) => {
        if (error) return reject(error);
        if (response) onResponse(response);
        resolve();
      };
      const write = (stream: { write(message: object): unknown; end(): unknown }) => {
        for (const message of requests) stream.write(message);
        stream.end();
      };
      const read = (stream: NodeJS.ReadableStream) => {
        stream.on('data', onResponse).once('error', reject).once('end', resolve);
      };
      if (requestStream && responseStream) {
        const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata, options);
        read(stream);
        write(stream);
      } else if (requestStream) {
        write(client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, metadata, options, answered));
      } else if (responseStream) {
        read(client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata, options));
      } else {
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, options, answered);
      }
    });
  } finally {
    client.close();
  }
}

/** Returns the error text of a failed RPC, such as `NOT_FOUND: No such finding.` */
export function describeFailure(error: ServiceError): string {
  return `${status[error.code] ?? error.code}: ${error.details}`;
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error && 'metadata' in error;
}
