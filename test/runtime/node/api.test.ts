import { apiSuite } from '../api_suite.ts';
import { startServer } from '../server.ts';

apiSuite('Node', () => startServer('node'));
