import type { Codec, Definition } from '@invoicecontrol/contracts/definition';
import type { MethodDefinition } from '@grpc/grpc-js';

type Method = MethodDefinition<unknown, unknown>;

/**
 * Converts a generated definition to the format of grpc-js. Methods with streams in both directions are refused,
 * because the product has none.
 */
export function toGrpc({ fullName, methods }: Definition): Record<string, Method> {
  return Object.fromEntries(
    Object.entries(methods).map(([key, rpc]) => {
      const { requestStream, responseStream } = rpc;
      if (requestStream && responseStream)
        throw new TypeError(
          `The gRPC call ${fullName}.${rpc.name} streams in both directions, which is not supported.`,
        );
      const method: Method = {
        path: `/${fullName}/${rpc.name}`,
        requestStream,
        responseStream,
        requestSerialize: serialize(rpc.requestType),
        requestDeserialize: (bytes: Buffer) => rpc.requestType.decode(bytes) as unknown,
        responseSerialize: serialize(rpc.responseType),
        responseDeserialize: (bytes: Buffer) => rpc.responseType.decode(bytes) as unknown,
      };
      return [key, method];
    }),
  );
}

/**
 * Returns the methods of a gRPC service in a form in which `onRequest` receives each decoded request with the bytes in
 * which it arrived. Encoding a request again could give other bytes.
 * @param isWatched selects the methods
 */
export function watchRequests(
  methods: Record<string, Method>,
  isWatched: (method: Method) => boolean,
  onRequest: (request: object, received: Buffer) => void,
): Record<string, Method> {
  return Object.fromEntries(
    Object.entries(methods).map(([key, method]): [string, Method] => {
      if (!isWatched(method)) return [key, method];
      const requestDeserialize = (received: Buffer): unknown => {
        const request = method.requestDeserialize(received);
        onRequest(request as object, received);
        return request;
      };
      return [key, { ...method, requestDeserialize }];
    }),
  );
}

function serialize(codec: Codec<unknown>): (message: unknown) => Buffer {
  return (message) => Buffer.from(codec.encode(message).finish());
}
