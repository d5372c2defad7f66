/** Who may do what with segments: the administrator, everything. */
import { ADMIN, projectPolicies } from '#src/policy/mod.ts';

export const policies = projectPolicies({
  create_segment: ADMIN,
  create_segments_tags: ADMIN,
  get_segment: ADMIN,
  get_segments_tags: ADMIN,
  update_segment: ADMIN,
  update_segments_tags: ADMIN,
  delete_segment: ADMIN,
  delete_segments_tags: ADMIN,
});
