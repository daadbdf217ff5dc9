import type { Notification } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { shownId, shownInstant, showInstant } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

const notification = z
  .object({
    id: z.string().describe('The id of the notification.'),
    userId: shownId().describe('The member who is told.'),
    kind: z
      .enum([
        'FINDING_ASSIGNED',
        'INVITATION',
        'WEBHOOK_FAILING',
        'WEBHOOK_DISABLED',
        'PAYMENT_FAILED',
        'TRIAL_ENDING',
        'USAGE_REACHED',
        'ERP_CONNECTED',
        'ERP_REAUTH_REQUIRED',
        'KSEF_CONNECTION_FAILED',
        'KSEF_SUBMISSION_REFUSED',
      ])
      .describe('Why the mail is sent.'),
    subject: z.string().describe('The subject line of the mail.'),
    status: z.enum(['QUEUED', 'SENT', 'FAILED']).describe('FAILED: the last attempt failed, none follows.'),
    createdAt: shownInstant().describe('When the reason for the mail arose.'),
  })
  .meta({ id: 'Notification' })
  .register(examples, {
    example: {
      id: EXAMPLE_IDS.notification,
      userId: EXAMPLE_IDS.assignee,
      kind: 'INVITATION',
      subject: 'You are invited to Demonstration Ltd',
      status: 'SENT',
      createdAt: EXAMPLE_INSTANT,
    },
  });

export const listNotifications = route({
  operation: 'listNotifications',
  method: 'get',
  path: '/notifications',
  summary: 'List the mails that people are sent, newest first',
  rpc: 'invoicecontrol.organization.v1.NotificationService/ListNotifications',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery,
  responses: { 200: { description: 'A page of notifications.', schema: pageOf(notification) } },
  async handle({ query }, { notifications }): Promise<Reply> {
    const list = listRequest('listNotifications', query);
    const reply = await notifications.listNotifications(list.request);
    return { status: 200, body: list.page(reply.notifications.map(presentNotification), reply.nextPageToken) };
  },
});

export function presentNotification(message: Notification): z.infer<typeof notification> {
  return {
    id: message.notificationId,
    userId: message.userId,
    kind: notification.shape.kind.parse(message.kind),
    subject: message.subject,
    status: notification.shape.status.parse(message.status),
    createdAt: showInstant(message.createdTime),
  };
}
