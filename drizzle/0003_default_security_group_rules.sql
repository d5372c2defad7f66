-- What new security groups start with, as Neutron's own migration has it: all egress; in default groups, ingress from the group.
INSERT INTO "default_security_group_rules"
	("id", "direction", "ethertype", "remote_group_id", "used_in_default_sg", "used_in_non_default_sg")
VALUES
	(gen_random_uuid(), 'egress', 'IPv4', NULL, true, true),
	(gen_random_uuid(), 'egress', 'IPv6', NULL, true, true),
	(gen_random_uuid(), 'ingress', 'IPv4', 'PARENT', true, false),
	(gen_random_uuid(), 'ingress', 'IPv6', 'PARENT', true, false);
