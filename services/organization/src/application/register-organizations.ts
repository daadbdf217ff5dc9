import type { Clock } from '@invoicecontrol/runtime/clock';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { PAGE_SIZE_MAX, readPageRequest } from '@invoicecontrol/runtime/page';
import { countFailedRegistration } from '../telemetry.js';
import type { Organizations } from './organizations.js';
import type { DailyTurn } from './purge-organizations.js';

/** Organizations that are told at once. */
const CONCURRENT_MAX = 8;
/** After a failure, of billing for example. */
const RETRY_MS = 5 * 60_000;
/** Organizations that may fail before it is the whole that fails. */
export const FAILURES_MAX = 100;

/** The service that must know which organizations exist. */
export interface OrganizationRegister {
  /** May be repeated. */
  register(organizationId: string, context: RequestContext): Promise<void>;
}

interface Deps {
  readonly organizations: Pick<Organizations, 'listAll'>;
  readonly register: OrganizationRegister;
  readonly turn: DailyTurn;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Tells billing once a day of every organization that is not deleted: those that were created before billing heard their
 * events would stay unknown to it until they change (ADR 0094).
 */
export const registerOrganizations =
  ({ organizations, register, turn, clock, logger }: Deps) =>
  async (signal: AbortSignal): Promise<void> => {
    if (!(await turn.take(clock.now()))) return;
    const context = systemContext('register-organizations');
    let failed = 0;
    const tell = async (organizationId: string): Promise<void> => {
      try {
        await register.register(organizationId, context);
      } catch (error) {
        failed++;
        countFailedRegistration();
        logger.warn({ error, organizationId }, 'an organization could not be registered with billing');
      }
    };
    try {
      for (let pageToken = ''; ;) {
        const page = await organizations.listAll(readPageRequest({ pageSize: PAGE_SIZE_MAX, pageToken }));
        const ids = page.items.flatMap(({ id, deletion }) => (deletion === undefined ? [id] : []));
        const next = async (): Promise<void> => {
          for (let id = ids.shift(); id !== undefined && !signal.aborted && failed <= FAILURES_MAX; id = ids.shift()) {
            await tell(id);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENT_MAX }, next));
        if (signal.aborted)
          throw new Error('The service stopped before every organization was registered with billing.');
        if (failed > FAILURES_MAX || (failed > 0 && page.nextPageToken === '')) {
          throw new Error(`Not every organization could be registered with billing: ${failed} failed.`);
        }
        if (page.nextPageToken === '') return;
        pageToken = page.nextPageToken;
      }
    } catch (error) {
      await turn.moveTo(new Date(clock.now().getTime() + RETRY_MS));
      throw error;
    }
  };
