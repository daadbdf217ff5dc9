import type { Notification } from '@invoicecontrol/contracts/organization/v1/notification_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../../http/description/examples.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';

export const notification = shown.record<Notification>('Notification')({
  id: shown.text(EXAMPLE_IDS.notification, 'The id of the e-mail notification.', 'notificationId'),
  userId: shown.id(EXAMPLE_IDS.assignee, 'The id of the member to whom the e-mail is sent.'),
  kind: shown.word(
    z
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
        'KSEF_CREDENTIAL_ENDING',
        'KSEF_INBOX_PAUSED',
        'KSEF_INVOICES_REFUSED',
        'KSEF_SUBMISSION_REFUSED',
      ])
      .describe('The kind of e-mail notification, which identifies the reason for the e-mail.'),
    'INVITATION',
  ),
  subject: shown.text('Invitation to Demonstration Ltd', 'The subject line of the e-mail.'),
  status: shown.word(
    z
      .enum(['QUEUED', 'SENT', 'FAILED'])
      .describe(
        'The status of the e-mail: QUEUED, SENT or FAILED (all attempts failed, and no further attempt is made).',
      ),
    'SENT',
  ),
  createdAt: shown.instant(
    EXAMPLE_INSTANT,
    'The time of the event that caused the e-mail notification.',
    'createdTime',
  ),
});

export const listNotifications = route({
  operation: 'listNotifications',
  method: 'get',
  path: '/notifications',
  summary: 'List e-mail notifications, newest first',
  rpc: 'invoicecontrol.organization.v1.NotificationService/ListNotifications',
  access: { minimumRole: 'ADMIN', scope: 'organization:read' },
  query: pageQuery,
  responses: {
    200: {
      description: 'A page of e-mail notifications.',
      schema: pageOf('e-mail notifications', notification.schema),
    },
  },
  async handle({ query }, { notifications }) {
    const list = listRequest('listNotifications', query);
    const reply = await notifications.listNotifications(list.request);
    return { status: 200, body: list.page(reply.notifications.map(notification.present), reply.nextPageToken) };
  },
});
