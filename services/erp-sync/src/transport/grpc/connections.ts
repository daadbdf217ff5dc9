import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import {
  ConnectionServiceDefinition,
  ConnectionStatus,
} from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import { limitOf } from '@invoicecontrol/runtime/grpc/principal';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { parseJson } from '@invoicecontrol/values/json';
import { deleteConnection, requireConnection, updateConnection } from '../../application/change-connections.js';
import type { ChangeDeps, DeleteDeps } from '../../application/change-connections.js';
import { createConnection } from '../../application/create-connection.js';
import type { CreateDeps } from '../../application/create-connection.js';
import { testConnection } from '../../application/test-connection.js';
import type { TestDeps } from '../../application/test-connection.js';
import { findProduct, products } from '../../providers/registry.js';
import type { EncodeConnections } from './encode-connection.js';

type Deps = CreateDeps & ChangeDeps & DeleteDeps & TestDeps & { readonly encode: EncodeConnections };

/** Implements the gRPC service invoicecontrol.erp_sync.v1.ConnectionService. */
export function connectionService(deps: Deps): Binding {
  const { connections, encode } = deps;
  const encodeOne = async (connection: Parameters<EncodeConnections>[0][number]) => {
    const [encoded] = await encode([connection]);
    return { connection: encoded };
  };
  return bind(ConnectionServiceDefinition, {
    async createConnection({ configJson, ...request }, context) {
      const limit = limitOf(context, 'erpConnections');
      const config = readJson(configJson);
      return encodeOne(await createConnection(deps)({ ...request, config, limit }, context));
    },
    async listConnections({ organizationId, companyId, provider, status, ...page }) {
      const filter = {
        companyId,
        provider: provider === undefined ? undefined : readProviderFilter(provider),
        status: optionalEnumName(ConnectionStatus, status),
      };
      const { items, nextPageToken } = await connections.list(organizationId, filter, readPageRequest(page));
      return { connections: await encode(items), nextPageToken };
    },
    async getConnection({ organizationId, connectionId }) {
      return encodeOne(await requireConnection(connections, organizationId, connectionId));
    },
    async updateConnection(request, context) {
      return encodeOne(await updateConnection(deps)(request, context));
    },
    async testConnection({ organizationId, connectionId }, context) {
      const { status, testedAt, fault } = await testConnection(deps)(organizationId, connectionId, context);
      return {
        status: ConnectionStatus[status],
        testedTime: testedAt,
        errorCode: fault?.code,
        errorMessage: fault?.message,
      };
    },
    async deleteConnection({ organizationId, connectionId }, context) {
      await deleteConnection(deps)(organizationId, connectionId, context);
      return {};
    },
  });
}

function readJson(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw invalidField('config', 'must be an object.');
  return value;
}

function readProviderFilter(spelling: string) {
  const erp = findProduct(spelling);
  if (erp !== undefined) return erp.code;
  throw invalidField(
    'provider',
    `must be one of ${products.flatMap(({ code, product }) => [code, product]).join(', ')}.`,
  );
}
