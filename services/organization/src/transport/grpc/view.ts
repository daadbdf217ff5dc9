import { ViewServiceDefinition } from '@invoicecontrol/contracts/organization/v1/view_service';
import type { View } from '@invoicecontrol/contracts/organization/v1/view_service';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { createView, deleteView, getView, listViews, updateView } from '../../application/views.js';
import type { OwnedView, ViewCaller, ViewDeps } from '../../application/views.js';
import { grantorOf } from './grantor.js';

export function viewService(deps: ViewDeps): Binding {
  return bind(ViewServiceDefinition, {
    async listViews(request, context) {
      return { views: (await listViews(deps)(callerOf(request, context))).map(toWire) };
    },
    async getView(request, context) {
      return { view: toWire(await getView(deps)({ ...request, ...callerOf(request, context) })) };
    },
    async createView(request, context) {
      return { view: toWire(await createView(deps)({ ...request, ...callerOf(request, context) }, context)) };
    },
    async updateView(request, context) {
      return { view: toWire(await updateView(deps)({ ...request, ...callerOf(request, context) }, context)) };
    },
    async deleteView(request, context) {
      await deleteView(deps)({ ...request, ...callerOf(request, context) }, context);
      return {};
    },
  });
}

/** Returns the caller whose views are meant. Its API key and rights are read only from its signed grant. */
function callerOf({ organizationId }: { organizationId: string }, context: RequestContext): ViewCaller {
  return { organizationId, apiKeyId: requirePrincipal(context).actorId, rights: grantorOf(context) };
}

function toWire({ view, userId }: OwnedView): View {
  const { id, name, query, isDefault, version, createdAt } = view;
  return { viewId: id, name, query, ownerUserId: userId, isDefault, version, createdTime: createdAt };
}
