import { apiSuite } from '../api_suite.ts';
import { startEdge } from './worker.ts';

apiSuite('workerd', startEdge);
