import type { Route } from '../../http/route.js';
import { createScan, getScan, listScans } from './scans.js';

export const scanRoutes: readonly Route[] = [createScan, listScans, getScan];
