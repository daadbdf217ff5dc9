import { z } from 'zod';
import * as shown from '../../http/description/shown.js';

/** Declares the name of the actor in a record, which the message holds as `actorName`, empty if there is no name. */
export const actorName = shown.made(
  z
    .string()
    .nullable()
    .describe(
      'The name of the member who acted, or of an API key that belongs to no member. Null for other actors and for removed members.',
    ),
  ({ actorName: name }: { readonly actorName: string }) => (name === '' ? null : name),
  'Ann Example',
);
