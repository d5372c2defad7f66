ALTER TABLE "port_bindings" ADD COLUMN "host_status" varchar(16);--> statement-breakpoint
DELETE FROM "port_binding_levels" l USING "ports" p WHERE p."id" = l."port_id" AND p."device_owner" = 'network:router_interface_distributed';--> statement-breakpoint
UPDATE "port_bindings" b SET "host" = '', "vif_type" = 'distributed', "vif_details" = '{}' FROM "ports" p WHERE p."id" = b."port_id" AND b."status" = 'ACTIVE' AND p."device_owner" = 'network:router_interface_distributed';
