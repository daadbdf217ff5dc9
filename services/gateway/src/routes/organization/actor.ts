import { z } from 'zod';
import * as shown from '../../http/description/shown.js';

/**
 * Declares the response field with the name of an actor. The gRPC message has the name as `actorName`, which is empty
 * if the actor has no name.
 */
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
