import { NotificationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/notification_service';
import type { Notification as WireNotification } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import type { ListedNotification, Notifications } from '../../application/notifications.js';
import { requireOrganization } from '../../application/organizations.js';
import type { Organizations } from '../../application/organizations.js';

export function notificationService({
  organizations,
  notifications,
}: {
  organizations: Organizations;
  notifications: Notifications;
}): Binding {
  return bind(NotificationServiceDefinition, {
    async listNotifications(request) {
      const page = readPageRequest(request);
      await requireOrganization(organizations, request.organizationId);
      const { items, nextPageToken } = await notifications.list(request.organizationId, page);
      return { notifications: items.map(toWire), nextPageToken };
    },
  });
}

function toWire({ id, userId, occasion, subject, status, createdAt }: ListedNotification): WireNotification {
  return { notificationId: id, userId, kind: occasion.kind, subject, status, createdTime: createdAt };
}
