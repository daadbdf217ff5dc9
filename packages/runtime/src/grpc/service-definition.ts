import type { Codec, Definition } from '@invoicecontrol/contracts/definition';
import type { MethodDefinition } from '@grpc/grpc-js';

type UnaryMethod = MethodDefinition<unknown, unknown>;

/** A generated definition in the form that grpc-js wants. Streams are refused: the product has none yet. */
export function toGrpc({ fullName, methods }: Definition): Record<string, UnaryMethod> {
  return Object.fromEntries(
    Object.entries(methods).map(([key, rpc]) => {
      if (rpc.requestStream || rpc.responseStream) throw new TypeError(`${fullName}.${rpc.name} is a stream.`);
      const method: UnaryMethod = {
        path: `/${fullName}/${rpc.name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: serialize(rpc.requestType),
        requestDeserialize: (bytes: Buffer) => rpc.requestType.decode(bytes) as unknown,
        responseSerialize: serialize(rpc.responseType),
        responseDeserialize: (bytes: Buffer) => rpc.responseType.decode(bytes) as unknown,
      };
      return [key, method];
    }),
  );
}

function serialize(codec: Codec<unknown>): (message: unknown) => Buffer {
  return (message) => Buffer.from(codec.encode(message).finish());
}
