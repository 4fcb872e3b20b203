/** Set-up of every file of tests: closes what it leaves to closing.ts. */
import { afterAll } from 'vitest';
import { closeAll } from './closing.ts';

afterAll(closeAll);
