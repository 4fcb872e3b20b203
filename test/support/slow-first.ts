/**
 * Order of the files: those that start programs, browsers and servers first. They take longest, and one of them at the end
 * would leave a core without work. Within both halves vitest decides: by their time in the run before, else by their size.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOW = /\/test\/(bench|process|browser|conformance|store\/engine|upstream)\//;

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { slow = [], quick = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      SLOW.test(moduleId) ? 'slow' : 'quick',
    );
    return [...slow, ...quick];
  }
}
