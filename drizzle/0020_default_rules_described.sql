-- The rules that a new cloud starts with say so, as Neutron's do; whatever an operator has written stays.
UPDATE "default_security_group_rules" SET "description" = 'Legacy default SG rule for egress traffic'
	WHERE "description" = '' AND "direction" = 'egress' AND "protocol" IS NULL AND "remote_group_id" IS NULL
	AND "remote_ip_prefix" IS NULL AND "remote_address_group_id" IS NULL
	AND "used_in_default_sg" AND "used_in_non_default_sg";--> statement-breakpoint
UPDATE "default_security_group_rules" SET "description" = 'Legacy default SG rule for ingress traffic'
	WHERE "description" = '' AND "direction" = 'ingress' AND "protocol" IS NULL AND "remote_group_id" = 'PARENT'
	AND "used_in_default_sg" AND NOT "used_in_non_default_sg";
