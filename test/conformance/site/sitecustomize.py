# Loaded by the suites' Python. Tempest waits ten seconds before it deletes a subnet, for DHCP agents of a data plane that is
# slow to let go; there is none here.
try:
    from tempest.lib.services.network import subnets_client

    class WithoutWaiting:
        @staticmethod
        def sleep(seconds):
            del seconds

    subnets_client.time = WithoutWaiting
except ImportError:
    pass
