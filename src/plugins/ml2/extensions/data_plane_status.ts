/** Extension driver `data_plane_status`: what somebody who watches the data plane says of a port; never set at its creation. */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'data_plane_status';

export const dataPlaneStatus: ExtensionDriver = {
  name: 'data_plane_status',
  extensions: [
    {
      alias: 'data-plane-status',
      name: 'Port data plane status extension',
      description: 'Says whether the underlying data plane of a port works, beside its status',
      updated: '2017-01-24T10:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: false,
            allow_put: true,
            default: ATTR_NOT_SPECIFIED,
            validate: { 'type:values': [null, 'ACTIVE', 'DOWN'] },
            is_visible: true,
            enforce_policy: true,
          },
        },
      },
    },
  ],
  ports: columnAttribute(NAME, { alias: 'p', kind: 'text' }),
};
